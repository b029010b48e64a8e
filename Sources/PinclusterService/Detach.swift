import FeatureStore

/// `pincluster detach`: drops a collection that shows a table.
struct Detach: RunnableCommand {
  static let flags: [Options.Flag] = [
    .store(unset: "required"), .storeSchema,
    .once("collection", "C", "collection to drop", unset: "required"),
  ]

  private let store: PostgresStore.Configuration
  private let collection: String

  init(_ options: Options) throws(UsageError) {
    store = try Attach.store(options)
    collection = try options.collection()
  }

  func run() throws -> Int32 {
    let table = try PostgresAttachment(store).detach(collection)
    print("\(collection): detached from \(table ?? "a table that is gone")")
    return 0
  }
}
