extension Command {
  /// Every command.
  static let all: [Entry] = [
    Entry(
      "serve", Serve.self, flags: Serve.flags, summary: "serve the collections of a data directory",
      description: """
        Serves the collections of a data directory over HTTP until SIGTERM or SIGINT.
        """),
    Entry(
      "import", Import.self, operand: "FILE --collection C", .file, flags: Import.flags,
      summary: "load a file into a collection",
      description: """
        Loads the features of FILE, or of standard input if FILE is -, into a collection: GeoJSON, GeoJSON by lines and CSV,
        also in gzip, and by GDAL's ogr2ogr, where Debian's gdal-bin is installed, GeoPackage, Shapefile, KML, GPX,
        FlatGeobuf, Excel and what else has a name that GDAL knows.
        """,
      notes: """
        With --data, the import is one transaction: with --on-error abort, a bad feature leaves everything
        unchanged. With --url, features are sent in batches, each of which is a transaction; a file is
        checked first, so that nothing is sent if it has a bad feature.
        """),
    Entry(
      "export", Export.self, operand: "--collection C", flags: Export.flags,
      summary: "write the features of a collection to a file",
      description: """
        Writes the features of a collection, one a line, as pincluster import takes them: GeoJSON with all that
        belongs to them, or a table (csv), which has no room for some of it; a warning then says so.
        """,
      notes: """
        With --data, all features are those of one moment, also while a service writes; what it writes collects in
        the database's log until the export ends. With --url, the service is asked for page after page. A file has
        its name only once it is complete.
        """),
    Entry(
      "check", Check.self, flags: Check.flags,
      summary: "say what is wrong with a data directory",
      description: """
        Reads all of a data directory, also while a service uses it, and changes nothing: the structure of the
        database, the checksum of each row, counts, and index files, which must agree with the rows. Exits with 0 if
        all is well, otherwise with 1.
        """,
      notes: """
        If no service uses the directory, one that is started meanwhile finds it in use. If one does, what it writes
        collects in the database's log until the check ends.
        """),
    Entry(
      "backup", Backup.self, operand: "--to DIR", flags: Backup.flags,
      summary: "copy the database of a data directory",
      description: """
        Copies the database, as it is at the start, into another folder, also while a service writes to it. To restore
        it, give that folder to --data, or copy its file pincluster.db into an empty data directory.
        """),
    Entry(
      "attach", Attach.self, operand: "--collection C --table TABLE", flags: Attach.flags,
      summary: "show a table of a PostgreSQL database as a collection",
      description: """
        Makes a collection of a table in the database of --store, which instances show and keep current from then on:
        rows are written in the table, and only there. Makes a view, functions and triggers, and copies nothing.
        """,
      notes: """
        The user in --store has to own the table and be a member of the service's role, or be a superuser. Rows without
        a point within ±180 by ±90 degrees aren't shown. Of lines and areas a point on them is, and other coordinate
        systems are converted. With --print, nothing is done but to print the SQL, for psql.
        """),
    Entry(
      "detach", Detach.self, operand: "--collection C", flags: Detach.flags,
      summary: "end what attach has begun",
      description: """
        Drops a collection that shows a table, with all that was made for it. The table stays as it is.
        """),
    Entry(
      "health", Health.self, flags: Health.flags,
      summary: "ask a running service whether it is ready",
      description: """
        Exits with 0 if a running service is ready, otherwise with 1.
        """),
    Entry(
      "completions", Completions.self, operand: "SHELL", .choice(Completions.shells), flags: [],
      summary: "print what lets bash, zsh or fish complete commands and flags",
      description: """
        Prints a script for SHELL: bash, zsh or fish. For example in .bashrc: . <(pincluster completions bash)
        """),
  ]

  /// The flags that the environment and configuration files may set, each once.
  static var settings: [Options.Flag] {
    var names: Set<String> = []  // Characters: names of flags
    return (all.flatMap(\.flags) + Options.common).filter { flag in
      flag.hasVariable && names.insert(flag.name).inserted
    }
  }
}
