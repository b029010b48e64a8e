import FeatureStore
import Texts

/// `pincluster attach`: makes a collection of a table in the database of a shared store.
struct Attach: RunnableCommand {
  static let flags: [Options.Flag] = [
    .store(unset: "required"), .storeSchema,
    .once("collection", "C", "collection to make", unset: "required"),
    .once("table", "TABLE", "table to show, as TABLE or SCHEMA.TABLE", unset: "required"),
    .once(
      "id", "COLUMN", "column of ids: integers, text or uuid, with a unique index",
      unset: "the primary key"),
    .once(
      "geometry", "COLUMN", "column of PostGIS geometries or geographies", unset: "the only one"),
    .once("longitude", "COLUMN", "column of degrees, instead of --geometry", unset: "none"),
    .once("latitude", "COLUMN", "column of degrees, with --longitude", unset: "none"),
    .once(
      "properties", "COLUMN,…", "columns to show as properties", .list,
      unset: "all others but geometries"),
    .once("expires", "COLUMN", "column of times from which on a row isn't shown", unset: "none"),
    .once(
      "temporal", "PROPERTY[,PROPERTY]",
      "properties with the time of a feature, or its start and end", .list, unset: "none"),
    .once("title", "TEXT", "title of the collection", unset: "none"),
    .once("description", "TEXT", "description of the collection", unset: "none"),
    .init(switch: "print", "print the SQL that does it, and do nothing else", hasVariable: false),
  ]

  private let store: PostgresStore.Configuration
  private let request: AttachRequest
  private let isPrinted: Bool

  init(_ options: Options) throws(UsageError) {
    store = try Attach.store(options)
    let table = try options.required("table")
    var request = AttachRequest(collection: try options.collection(), table: table)
    request.id = options.values["id"]
    request.geometry = options.values["geometry"]
    switch (options.values["longitude"], options.values["latitude"]) {
    case (nil, nil): break
    case (let longitude?, let latitude?):
      guard request.geometry == nil else {
        throw UsageError("give --geometry, or --longitude and --latitude, but not both")
      }
      request.position = (longitude, latitude)
    default: throw UsageError("--longitude and --latitude belong together")
    }
    func list(_ name: String) -> [String]? {
      options.values[name].map { $0.parts(separatedBy: UInt8(ascii: ",")).map { String($0) } }
    }
    request.properties = list("properties")
    request.expires = options.values["expires"]
    request.title = options.values["title"]
    request.description = options.values["description"]
    if let times = list("temporal") {
      switch times.count {
      case 1: request.temporal = .instant(times[0])
      case 2: request.temporal = .span(start: times[0], end: times[1])
      default: throw options.invalid("temporal", "not one property or two")
      }
    }
    (self.request, isPrinted) = (request, options.isOn("print"))
  }

  /// The database of `--store`.
  static func store(_ options: Options) throws(UsageError) -> PostgresStore.Configuration {
    try Serve.sharedStore(options, at: options.required("store"), directory: nil)
  }

  func run() throws -> Int32 {
    let attachment = try PostgresAttachment(store)
    if isPrinted {
      for statement in try attachment.script(for: request) { print(statement + ";") }
      return 0
    }
    let outcome = try attachment.attach(request)
    print("\(request.collection): shows \(outcome.features.counted("row")) of \(outcome.table)")
    if outcome.rows > outcome.features {
      StandardError.write(
        "pincluster: warning: \(outcome.rows - outcome.features) of \(outcome.rows) rows aren't shown: they have no "
          + "point within the world, no id that can be one, or have expired\n")
    }
    return 0
  }
}
