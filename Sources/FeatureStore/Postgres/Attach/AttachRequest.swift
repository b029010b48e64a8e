/// Which table is to be attached, and what of it.
public struct AttachRequest: Sendable {
  /// The collection that is made of it.
  public var collection: String
  /// The table's name, with its schema or to be looked for in the search path.
  public var table: String
  /// The column of ids; the primary key if nil.
  public var id: String?
  /// The column of geometries; the only one if nil.
  public var geometry: String?
  /// The columns of longitudes and latitudes, instead of geometries.
  public var position: (longitude: String, latitude: String)?
  /// The columns that become properties; all others if nil.
  public var properties: [String]?
  /// The column of the times at which features expire.
  public var expires: String?
  /// The title and description of the collection.
  public var (title, description): (String?, String?) = (nil, nil)
  /// The properties that say when features were or are.
  public var temporal: TemporalProperties?

  /// Names a collection and a table.
  public init(collection: String, table: String) {
    (self.collection, self.table) = (collection, table)
  }
}
