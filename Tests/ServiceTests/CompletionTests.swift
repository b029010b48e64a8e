import Glibc
import TestSupport
import Testing

@testable import PinclusterService

/// The completions of shells, tried in the shells, and the pages of the manual.
@Suite(.timeLimit(.minutes(5))) struct CompletionTests {
  private static let fish = "/usr/bin/fish"
  private static let zsh = "/usr/bin/zsh"
  private static let groff = "/usr/bin/groff"
  private static let help2man = "/usr/bin/help2man"

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
    let run = try Tool(["completions", shell]).expectSuccess()
    let path = try directory.write(run.output, as: shell)
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
    try directory.write([], as: "a file")
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
    // Lists of words are evaluated as commands are.
    let text = String(decoding: try Fixtures.bytes(path: path), as: UTF8.self)
    let lists = text.matches(of: /--([a-z-]+)=.*:(\(.*\))'/)
    #expect(lists.contains { $0.1 == "separator" })
    for list in lists {
      let words = try output(
        CompletionTests.zsh,
        ["-fc", "eval \"words=$1\"; print -l -- $words", "zsh", String(list.2)])
      if list.1 == "separator" { #expect(words == ",\n;\n|\ntab\n") }
    }
  }

  @Test func anotherShellIsAMistake() throws {
    try Tool(["completions"]).expectFailure(2, saying: "bash, zsh or fish")
    try Tool(["completions", "tcsh"]).expectFailure(2, saying: "bash, zsh or fish")
  }

  @Test(.enabled(if: access(help2man, X_OK) == 0, "help2man is not installed"))
  func theManualNamesEverything() throws {
    let pages = directory.file("manual")
    let binary = try #require(ServerBinary.path())
    #expect(try output(Fixtures.root + "/scripts/manual", [binary, pages]) == "")
    for entry in Command.all {
      let path = "\(pages)/pincluster-\(entry.name).1"
      let page = String(decoding: try Fixtures.bytes(path: path), as: UTF8.self)
      #expect(page.contains("\npincluster-\(entry.name) \\- \(entry.summary.prefix(10))"))
      for flag in entry.allFlags {
        let name = "--\(flag.name)".split(separator: "-", omittingEmptySubsequences: false)
        #expect(page.contains(".TP\n\\fB\(name.joined(separator: "\\-"))\\fR"), "\(flag.name)")
        if flag.hasVariable { #expect(page.contains("[\(flag.variable)]"), "\(flag.name)") }
      }
    }
    let main = try Fixtures.bytes(path: "\(pages)/pincluster.1")
    let sections = String(decoding: main, as: UTF8.self).split(separator: "\n")
      .filter { $0.hasPrefix(".SH ") }.map { $0.dropFirst(4) }
    #expect(
      Set(sections).isSuperset(of: [
        "NAME", "SYNOPSIS", "DESCRIPTION", "ENVIRONMENT", "FILES", "SIGNALS", "\"EXIT STATUS\"",
        "EXAMPLES", "\"SEE ALSO\"",
      ]), "\(sections)")
    guard access(CompletionTests.groff, X_OK) == 0 else { return }
    for page in Fixtures.names(in: pages) {
      #expect(
        try output(
          CompletionTests.groff, ["-ww", "-man", "-Tutf8", "-Kutf8", "-z", "\(pages)/\(page)"])
          == "")
    }
  }
}
