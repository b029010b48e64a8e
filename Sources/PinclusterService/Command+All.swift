extension Command {
  /// Every command.
  static let all: [Entry] = [
    Entry(
      "serve", Serve.self, flags: Serve.flags, summary: "serve the collections of a data directory",
      description: """
        Serves the collections of a data directory over HTTP until SIGTERM or SIGINT.
        """),
    Entry(
      "import", Import.self, operand: "FILE --collection C", flags: Import.flags,
      summary: "load a file into a collection",
      description: """
        Loads the features of FILE, or of standard input if FILE is -, into a collection.
        """,
      notes: """
        With --data, the import is one transaction: with --on-error abort, a bad feature leaves everything
        unchanged. With --url, features are sent in batches, each of which is a transaction; a file is
        checked first, so that nothing is sent if it has a bad feature.
        """),
    Entry(
      "health", Health.self, flags: Health.flags,
      summary: "ask a running service whether it is ready",
      description: """
        Exits with 0 if a running service is ready, otherwise with 1.
        """),
    Entry(
      "completions", Completions.self, operand: "SHELL", flags: [],
      summary: "print what lets bash, zsh or fish complete commands and flags",
      description: """
        Prints a script for SHELL: bash, zsh or fish. For example in .bashrc: . <(pincluster completions bash)
        """),
    Entry(
      "man", ManPage.self, flags: [], summary: "print the page of the manual, for man -l -",
      description: """
        Prints pincluster(1) in the language of man(7).
        """),
  ]

  /// The flags that the environment and configuration files may set, each once.
  static var settings: [Options.Flag] {
    var names: Set<String> = []
    return (all.flatMap(\.flags) + Options.common).filter { flag in
      flag.hasVariable && names.insert(flag.name).inserted
    }
  }
}
