import FeatureStore
import Texts

extension Options.Flag {
  /// The database that instances share.
  static func store(unset: String) -> Options.Flag {
    .init(
      "store", "URL", "PostgreSQL database that instances share, postgresql://user@host/database",
      unset: unset, isSecret: true)
  }
  static let storeSchema = Options.Flag(
    "store-schema", "NAME", "schema of the tables in --store", standard: "pincluster")
  static let storeCheckInterval = Options.Flag(
    "store-check-interval", "SECONDS",
    "time between comparisons of what is shown with --store, 0 for never", 0...604_800,
    standard: 600)
}

extension Serve {
  /// The database of `--store`.
  static func sharedStore(
    _ options: Options, at url: String, directory: String?
  ) throws(UsageError) -> PostgresStore.Configuration {
    let schema = options.values["store-schema"] ?? "pincluster"
    // Without any parameter libpq would look for a database of its own.
    guard !url.trimmed.isEmpty else {
      throw options.invalid("store", "which is no address; leave it out for none")
    }
    guard isSchema(schema) else {
      throw options.invalid("store-schema", "not 1 to 48 of a-z, 0-9 and _, with a letter first")
    }
    do {
      var configuration = PostgresStore.Configuration(
        address: try PostgresAddress(url), schema: schema, directory: directory)
      let interval = options.integer("store-check-interval")
      if interval > 0 { configuration.comparisonInterval = Double(interval) }
      return configuration
    } catch {
      throw options.invalid("store", error.reason)
    }
  }

  /// Opens the store: the shared one, or that in the data directory.
  static func openStore(
    _ shared: PostgresStore.Configuration?, directory: String
  ) throws(StoreError) -> sending any FeatureStore {
    if let shared { return try PostgresStore(shared) }
    return try SQLiteStore(directory: directory)
  }

  /// Whether a name needs no quotes anywhere, and has room for the names derived from it.
  private static func isSchema(_ name: String) -> Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    return (1...48).contains(name.utf8.count) && name.utf8.first.map(letters.contains) == true
      && name.utf8.allSatisfy {
        letters.contains($0) || $0 == UInt8(ascii: "_") || $0.isDigit
      }
  }
}
