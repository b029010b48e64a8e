import GeoFormats
import Glibc

/// `pincluster man`: prints the page of the manual, made from the descriptions of the commands and flags.
struct ManPage: RunnableCommand {
  init(_ options: Options) throws(UsageError) {
    try options.refuseOperands("man")
  }

  func run() -> Int32 {
    print(ManPage.text, terminator: "")
    return 0
  }

  /// The page.
  static var text: String {
    var page = Roff()
    page.line(".TH PINCLUSTER 1 \(date) \(Roff.quoted("pincluster \(Command.version)"))")
    page.section("NAME")
    page.line("pincluster \\- \(Roff.escaped(summary))")
    page.section("SYNOPSIS")
    for (number, entry) in Command.all.enumerated() {
      let operand = entry.operand.isEmpty ? "" : " " + Roff.italic(entry.operand)
      let flags = entry.allFlags.isEmpty ? "" : " [" + Roff.italic("FLAGS") + "]"
      page.line(
        (number == 0 ? "" : ".br\n") + Roff.bold("pincluster \(entry.name)") + operand + flags)
    }
    page.section("DESCRIPTION")
    page.paragraphs(description)
    page.section("OPTIONS")
    page.paragraphs("What holds while a flag isn't given is in parentheses.")
    for entry in Command.all {
      page.subsection("pincluster \(entry.name)")
      page.paragraphs(entry.description)
      for flag in entry.flags { page.item(flag) }
      if !entry.notes.isEmpty {
        page.line(".PP")
        page.paragraphs(entry.notes)
      }
    }
    page.subsection("All commands with flags that variables set")
    for flag in Options.common { page.item(flag) }
    page.section("ENVIRONMENT")
    page.paragraphs(environment)
    for flag in Command.settings { page.item(Roff.bold(flag.variable), "Sets --\(flag.name).") }
    page.section("FILES")
    for (path, words) in files { page.item(Roff.italic(path), words) }
    page.section("SIGNALS")
    for (name, words) in signals { page.item(Roff.bold(name), words) }
    page.section("EXIT STATUS")
    for (code, words) in exitCodes { page.item(Roff.bold(code), words) }
    page.section("EXAMPLES")
    for (number, (words, command)) in examples.enumerated() {
      if number > 0 { page.line(".PP") }
      page.paragraphs(words)
      page.example(command)
    }
    page.section("SEE ALSO")
    page.paragraphs("The service describes its API at /api, and shows collections at /map.")
    return page.text
  }

  /// The day of the page: that of SOURCE_DATE_EPOCH, so that a package can be built twice alike, or today.
  private static var date: String {
    let given = Environment.value("SOURCE_DATE_EPOCH").flatMap { Int64($0) }
    let seconds = min(max(given ?? Int64(time(nil)), 0), 250_000_000_000)
    return String(DateTime.text(seconds * 1000).prefix(10))
  }
}

extension Roff {
  /// Writes a flag as an element of a list of terms.
  fileprivate mutating func item(_ flag: Options.Flag) {
    var term = Roff.bold("--\(flag.name)")
    if flag.takesValue { term += " " + Roff.italic(flag.placeholder) }
    item(term, flag.fullHelp + ".")
  }
}
