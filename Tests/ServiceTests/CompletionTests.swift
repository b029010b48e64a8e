import Glibc
import TestSupport
import Testing

@testable import PinclusterService

/// The completions of shells, tried in the shells, and the page of the manual.
@Suite(.timeLimit(.minutes(5))) struct CompletionTests {
  private static let fish = "/usr/bin/fish"
  private static let zsh = "/usr/bin/zsh"
  private static let groff = "/usr/bin/groff"

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// What a command prints. It must succeed and complain of nothing.
  private func output(_ executable: String, _ arguments: [String]) throws -> String {
    let process = try ChildProcess(executable, arguments)
    #expect(process.waitForExit() == .code(0))
    #expect(process.standardError == "")
    return process.standardOutput
  }

  private func script(_ shell: String) throws -> String {
    let run = try Tool(["completions", shell])
    run.expectSuccess()
    let path = directory.file(shell)
    try Fixtures.write(Array(run.output.utf8), path: path)
    return path
  }

  /// What bash offers after a line whose words these are, as readline would split them.
  private func bash(_ words: [String]) throws -> [String] {
    let program = """
      compopt() { :; }
      . "$1"; shift
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
      _pincluster
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let text = try output("/bin/bash", ["-euc", program, "bash", try script("bash")] + words)
    return text.split(separator: "\n").map(String.init)
  }

  @Test func bashCompletes() throws {
    let commands = Command.all.map(\.name)
    #expect(try bash(["pincluster", ""]) == commands + ["--help", "--version"])
    #expect(try bash(["pincluster", "imp"]) == ["import"])
    for entry in Command.all {
      let names = entry.allFlags.map { "--\($0.name)" } + ["--help"]
      #expect(try bash(["pincluster", entry.name, "--"]) == names)
    }
    #expect(try bash(["pincluster", "serve", "--max-b"]) == ["--max-body-bytes"])
    #expect(try bash(["pincluster", "serve", "--log-level", ""]) == ["debug", "info", "error"])
    #expect(try bash(["pincluster", "serve", "--log-level", "=", "e"]) == ["error"])
    #expect(try bash(["pincluster", "serve", "--log-level", "="]) == ["debug", "info", "error"])
    #expect(try bash(["pincluster", "serve", "--port", ""]) == [])
    #expect(try bash(["pincluster", "completions", ""]) == ["bash", "zsh", "fish"])
    #expect(mkdir(directory.file("a folder"), 0o700) == 0)
    try Fixtures.write([], path: directory.file("a file"))
    let start = directory.file("a ")
    #expect(try bash(["pincluster", "serve", "--data", start]) == [start + "folder"])
    #expect(
      try bash(["pincluster", "import", start]).sorted() == [start + "file", start + "folder"])
  }

  @Test(.enabled(if: access(fish, X_OK) == 0, "fish is not installed"))
  func fishCompletes() throws {
    let path = try script("fish")
    func words(_ line: String) throws -> [String] {
      let program = "source $argv[1]; complete -C $argv[2]"
      let text = try output(CompletionTests.fish, ["--no-config", "-c", program, path, line])
      return text.split(separator: "\n").compactMap {
        $0.split(separator: "\t").first.map(String.init)
      }
    }
    #expect(try words("pincluster ").sorted() == Command.all.map(\.name).sorted())
    let flags = try words("pincluster serve --")
    for flag in Serve.flags { #expect(flags.contains("--\(flag.name)"), "\(flag.name)") }
    #expect(!flags.contains("--on-error"))
    #expect(try words("pincluster import --on-error ") == ["abort", "skip"])
    #expect(try words("pincluster import --separator ").sorted() == [",", ";", "tab", "|"])
    #expect(try words("pincluster completions ").sorted() == ["bash", "fish", "zsh"])
  }

  @Test(.enabled(if: access(zsh, X_OK) == 0, "zsh is not installed"))
  func zshReadsItsScript() throws {
    let path = try script("zsh")
    #expect(try output(CompletionTests.zsh, ["-fn", path]) == "")
    // Defines the function, and gives it to the completion system.
    let program =
      "autoload -U compinit; compinit -uD; . $1; print ${_comps[pincluster]}; whence -w _pincluster"
    #expect(
      try output(CompletionTests.zsh, ["-fc", program, "zsh", path])
        == "_pincluster\n_pincluster: function\n")
  }

  @Test func anotherShellIsAMistake() throws {
    try Tool(["completions"]).expectFailure(2, saying: "bash, zsh or fish")
    try Tool(["completions", "tcsh"]).expectFailure(2, saying: "bash, zsh or fish")
    try Tool(["man", "x"]).expectFailure(2, saying: "no operand")
  }

  @Test func theManualNamesEverything() throws {
    let run = try Tool(["man"], environment: ["SOURCE_DATE_EPOCH": "1000000000"])
    run.expectSuccess()
    #expect(run.output.hasPrefix(".TH PINCLUSTER 1 2001-09-09 "))
    for entry in Command.all {
      #expect(run.output.contains(".SS \"pincluster \(entry.name)\"\n"))
      for flag in entry.allFlags {
        #expect(run.output.contains(".TP\n" + Roff.bold("--\(flag.name)")), "\(flag.name)")
      }
    }
    for flag in Command.settings { #expect(run.output.contains(Roff.bold(flag.variable) + "\n")) }
    #expect(run.output.utf8.allSatisfy { $0 < 0x80 })
    let sections = run.output.split(separator: "\n").filter { $0.hasPrefix(".SH ") }.map {
      $0.dropFirst(5).dropLast()
    }
    #expect(
      sections == [
        "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "ENVIRONMENT", "FILES", "SIGNALS",
        "EXIT STATUS", "EXAMPLES", "SEE ALSO",
      ])
    #expect(Roff.escaped(".a 'b' \\ …") == "\\&.a \\(aqb\\(aq \\e \\[u2026]")
  }

  @Test(.enabled(if: access(groff, X_OK) == 0, "groff is not installed"))
  func groffHasNoComplaint() throws {
    let path = directory.file("pincluster.1")
    try Fixtures.write(Array(try Tool(["man"]).output.utf8), path: path)
    #expect(try output(CompletionTests.groff, ["-ww", "-man", "-Tutf8", "-z", path]) == "")
  }
}
