internal import Texts

/// The members that hold the place of an object that is no Feature: its own, or those of an object in it.
struct PlaceMembers: Equatable {
  /// The holder of coordinates.
  enum Holder: Equatable {
    case axes(longitude: [UInt8], latitude: [UInt8])
    /// A text, a list of numbers, or a geometry of GeoJSON.
    case point([UInt8])
  }

  /// The part of a member that is a property.
  enum Part { case all, rest, none }

  /// The names of the objects that lead to them.
  var path: [[UInt8]] = []
  let holder: Holder

  /// Whether the object has coordinates among its own members.
  var isOwn: Bool { if case .axes = holder { path.isEmpty } else { false } }

  /// The object that has them; nil if there is none.
  func object(in row: TapeNode) -> TapeNode? {
    var object = row
    for name in path {
      guard let inner = object.member(name), inner.kind == .object else { return nil }
      object = inner
    }
    return object
  }

  /// Whether they hold something in an object.
  func areFilled(in row: TapeNode) -> Bool {
    guard let object = object(in: row) else { return false }
    switch holder {
    case .axes(let longitude, let latitude):
      return [longitude, latitude].allSatisfy {
        object.member($0).map(PlaceMembers.canBeAxis) ?? false
      }
    case .point(let name):
      guard let value = object.member(name) else { return false }
      switch value.kind {
      case .string: return PlaceMembers.canBeAxis(value)
      case .array: return true
      default: return GeometryType(value.member("type")) != nil
      }
    }
  }

  /// Whether a value is a number, or a text with something in it.
  static func canBeAxis(_ value: TapeNode) -> Bool {
    value.kind == .number || value.kind == .string && !JSONText.trimmed(value.string).isEmpty
  }

  /// The part of a member that is a property, so many objects deep on the way to the place.
  func part(of key: TapeNode, _ value: TapeNode, level: Int) -> Part {
    func isNamed(_ name: [UInt8]) -> Bool { name.withUnsafeBytes { equalBytes($0, key.string) } }
    if level < path.count { return isNamed(path[level]) && value.kind == .object ? .rest : .all }
    switch holder {
    case .axes(let longitude, let latitude):
      return isNamed(longitude) || isNamed(latitude) ? .none : .all
    case .point(let name):
      guard level == path.count else { return PlaceMembers.isOfGeometry(key) ? .none : .all }
      return !isNamed(name) ? .all : value.kind == .object ? .rest : .none
    }
  }

  private static func isOfGeometry(_ key: TapeNode) -> Bool {
    (["type", "coordinates", "geometries", "bbox", "crs", "coordRefSys"] as [StaticString])
      .contains(where: key.isString)
  }

  /// The names that lead to the place, as messages show them.
  var shown: String {
    var names = path
    if case .point(let name) = holder { names.append(name) }
    return TableText.quoted(Array(names.joined(separator: "/".utf8)))
  }

  /// The notes on them, if the request didn't name them and their names are unusual.
  func notes(_ options: TableOptions) -> [String] {
    guard path.isEmpty else {
      return options.geometry == nil ? ["points are in the column \(shown)"] : []
    }
    switch holder {
    case .axes(let longitude, let latitude):
      let heading = TableHeading([longitude, latitude])
      return TableNotes.columns(.axes(longitude: 0, latitude: 1), heading, options)
    case .point(let name): return TableNotes.columns(.geometry(0), TableHeading([name]), options)
    }
  }
}

extension TapeNode {
  /// The value of the last member with an unescaped name; nil if there is none or the node is not an object.
  func member(_ name: [UInt8]) -> TapeNode? { name.withUnsafeBytes { member($0) } }
}
