internal import Texts

/// A view that shows an attached table as features, by its name, which tells what its rows are found by.
struct AttachedSource {
  /// The kind of an attached table's ids.
  enum Kind: String {
    case integer
    case text
    case uuid
  }

  let name: String
  let kind: Kind

  init(_ name: String) {
    self.name = name
    kind =
      name.parts(separatedBy: UInt8(ascii: "_")).last.flatMap { Kind(rawValue: String($0)) }
      ?? .text
  }

  init(key: Int64, kind: Kind) {
    (name, self.kind) = ("attached_\(key)_\(kind.rawValue)", kind)
  }

  /// The view's name as SQL, in the schema of the session.
  var quoted: String { SQLText.quoted(name) }

  /// The `row_id` of a row, given `i.number` and `i.name` of a feature.
  fileprivate var rowID: String {
    switch kind {
    case .integer: "CASE WHEN i.name = '' THEN i.number ELSE i.name::bigint END"
    case .text: "CASE WHEN i.name = '' THEN i.number::text ELSE i.name END"
    case .uuid: "i.name::uuid"
    }
  }
}

/// Where the rows of a collection are: in a view, or else in the store's own table.
extension AttachedSource? {
  /// The view or table as SQL.
  var relation: String { self?.quoted ?? "features" }

  /// The row of a feature, given `i.number` and `i.name`, as SQL. It is found by an index.
  var row: String {
    let place = self.map { "s.row_id = \($0.rowID)" } ?? "s.collection = $1"
    return """
      SELECT * FROM \(relation) AS s WHERE \(place) AND s.number = i.number AND s.name = i.name LIMIT 1
      """
  }
}
