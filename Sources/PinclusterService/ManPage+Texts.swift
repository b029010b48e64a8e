extension ManPage {
  static let summary = "serve point features, clustered for the map that a client shows"

  static let description = """
    pincluster keeps collections of point features in a SQLite database and in memory, and answers over
    HTTP which clusters and pins a map shows: exactly counted, for any part of the world at any scale, with
    filters, groups and statistics, also while features change. Without keys it trusts whoever can reach it.

    A flag takes its value as the next argument or after an equals sign. What flags with variables set can be
    set by environment variables and by the members of a JSON object in a configuration file as well: a flag
    wins over its variable, and that over the file.
    """

  static let environment = """
    Each of these sets a flag of the commands that have it. Switches are on by true or 1, and off by false or 0.
    Other variables that begin with PINCLUSTER_ are named in a warning.

    pincluster serve also reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID, which systemd sets, and tells it
    when everything is loaded, when the service stops, and that its event loops run.
    """

  static let files: [(path: String, words: String)] = [
    (
      "/etc/pincluster/config.json",
      "The configuration that the systemd unit names with --config. Its members are flags without their dashes:\n"
        + "numbers, strings, true and false for switches, and arrays of strings for lists."
    ),
    (
      "DIR/pincluster.db, DIR/pincluster.db-wal",
      "The SQLite database in a data directory. It holds everything."
    ),
    (
      "DIR/pincluster-*.index",
      "The index of a large collection, from which a start is quicker. It is made again where it is missing."
    ),
    ("DIR/pincluster.lock", "Keeps a second process from the data directory."),
  ]

  static let signals: [(name: String, words: String)] = [
    (
      "SIGTERM, SIGINT",
      "pincluster serve refuses new requests, finishes those in flight within --drain-timeout, and ends.\n"
        + "An import ends, too, and says how many features are stored."
    ),
    (
      "SIGHUP",
      "pincluster serve reads again the files of keys and of TLS. One that is bad changes nothing."
    ),
    (
      "SIGUSR1, SIGUSR2", "pincluster serve logs one level more, or as it was told to at its start."
    ),
  ]

  static let exitCodes: [(code: String, words: String)] = [
    ("0", "All is well, or the service was stopped by a signal."),
    ("1", "Something failed; a line on standard error says what."),
    (
      "2",
      "A flag, a variable or the configuration file is wrong; a line on standard error says which and where."
    ),
    ("130, 143", "SIGINT or SIGTERM ended an import, an export or a backup."),
  ]

  static let examples: [(words: String, command: String)] = [
    ("Serve a data directory on port 8080 of this machine:", "pincluster serve --data ./data"),
    (
      "Load a file into it while the service runs:",
      "pincluster import cities.csv --collection cities --url http://127.0.0.1:8080"
    ),
    (
      "Check a configuration before a restart:",
      "pincluster serve --config /etc/pincluster/config.json --print-config"
    ),
    ("Ask whether the service is ready:", "pincluster health"),
    (
      "Back up what a running service holds, and check the copy:",
      "pincluster backup --data ./data --to ./copy && pincluster check --data ./copy"
    ),
    (
      "Take the features of a collection elsewhere:",
      "pincluster export --data ./data --collection cities --output cities.geojsonl"
    ),
  ]
}
