import FeatureStore

/// `pincluster detach`: drops a collection that shows a table.
struct Detach: RunnableCommand {
  static let flags: [Options.Flag] = [
    .store(unset: "required"), .storeSchema,
    .init("collection", "C", "collection to drop", unset: "required", hasVariable: false),
  ]

  private let store: PostgresStore.Configuration
  private let collection: String

  init(_ options: Options) throws(UsageError) {
    try options.refuseOperands("detach")
    store = try Attach.store(options, "detach")
    collection = try options.collection("detach")
  }

  func run() throws -> Int32 {
    let table = try PostgresAttachment(store).detach(collection)
    print("\(collection): detached from \(table ?? "a table that is gone")")
    return 0
  }
}
