internal import Texts

/// Finds the members that hold the places of objects, by the names that a table's columns have and by what they hold: those
/// of the object itself, or else of an object in it.
struct PlaceSearch {
  /// The most objects on the way to a place.
  private static let deepest = 2
  /// The most objects that are looked at in one.
  private static let mostInner = 20
  /// The ranks of names that don't say that they hold points, behind those of ``CoordinateName/geometries``.
  private enum Rank { static let position = 20, other = 21, shape = 22, level = 100 }

  private let options: TableOptions
  private let texts = PointText(isTold: false)
  /// The names that may still be looked at in objects without a place, which bounds the work for them all.
  private var left = 200_000

  init(_ options: TableOptions) { self.options = options }

  /// Finds the members of an object.
  ///
  /// - Parameter isTold: whether it is said what an object lacks.
  /// - Throws: ``CoordinateColumns/Fault`` if it has none that can hold coordinates, or too many.
  mutating func find(
    in object: TapeNode, isTold: Bool = true
  ) throws(CoordinateColumns.Fault) -> PlaceMembers {
    guard object.kind == .object else {
      throw CoordinateColumns.Fault(detail: "not an object")
    }
    guard !PlaceSearch.isGeoJSON(object) else {
      throw CoordinateColumns.Fault(detail: "/type is not \"Feature\"")
    }
    let before = left
    if let found = try find(in: object, options, deeper: PlaceSearch.deepest) {
      left = before
      return found
    }
    throw CoordinateColumns.Fault(detail: isTold ? missing(in: object) : "")
  }

  /// Whether an object is GeoJSON that isn't a Feature, or would be one with another type.
  private static func isGeoJSON(_ object: TapeNode) -> Bool {
    guard let type = object.member("type"), type.kind == .string else {
      return object.member("geometry")?.kind == .object && object.member("properties") != nil
    }
    if GeometryType(type) != nil {
      return object.member("coordinates") != nil || object.member("geometries") != nil
    }
    return type.isString("FeatureCollection")
      || String(decoding: type.string.prefix(20), as: UTF8.self).isSameField(as: "feature")
  }

  private mutating func find(
    in object: TapeNode, _ options: TableOptions, deeper: Int
  ) throws(CoordinateColumns.Fault) -> PlaceMembers? {
    if let own = try own(of: object, options) { return own }
    var (best, rank, looks): ([PlaceMembers], Int, Int) = ([], .max, 0)
    object.forEachMember { key, value in
      guard value.kind == .object, looks < PlaceSearch.mostInner else { return }
      looks += 1
      guard let found = inner(key, value, options, deeper: deeper) else { return }
      if found.rank < rank {
        (best, rank) = ([found.0], found.rank)
      } else if found.rank == rank, found.0 != best.first {
        best.append(found.0)
      }
    }
    guard best.count <= 1 else {
      let names = TableText.listed(best, atMost: 5, \.shown)
      throw CoordinateColumns.Fault(
        detail: "\(names) all hold coordinates; geometry names the one that is meant",
        isAmbiguous: true)
    }
    return best.first
  }

  /// The members of an object within, or that object if it is a geometry, and how little its name says so.
  private mutating func inner(
    _ key: TapeNode, _ value: TapeNode, _ options: TableOptions, deeper: Int
  ) -> (PlaceMembers, rank: Int)? {
    guard left > 0 else { return nil }
    left -= 1
    let name = Array(key.string)
    let isNamed = PlaceSearch.isNamed(name, options.geometry)
    let isFree = options.geometry == nil && options.longitude == nil
    let rank =
      CoordinateName(name).geometry
      ?? (CoordinateName.isPosition(name) ? Rank.position : Rank.other)
    if let type = GeometryType(value.member("type")) {
      guard isNamed || isFree else { return nil }
      let isPoint = [.point, .multiPoint, .geometryCollection].contains(type)
      return (PlaceMembers(holder: .point(name)), Rank.level + (isPoint ? rank : Rank.shape))
    }
    let type = value.member("type")
    guard deeper > 0, type?.isString("Feature") != true,
      type?.isString("FeatureCollection") != true,
      var found = try? find(
        in: value, isNamed ? TableOptions() : options, deeper: deeper - 1)
    else { return nil }
    found.path.insert(name, at: 0)
    return (found, found.path.count * Rank.level + rank)
  }

  /// The members of the object itself; nil if it has none.
  private mutating func own(
    of object: TapeNode, _ options: TableOptions
  ) throws(CoordinateColumns.Fault) -> PlaceMembers? {
    var names: [[UInt8]] = []
    object.forEachMember { key, value in
      guard value.kind == .array ? PlaceSearch.isPair(value) : PlaceMembers.canBeAxis(value),
        left > 0, names.count < TableHeading.mostColumns
      else { return }
      left -= 1
      if canHold(key, value, options) { names.append(Array(key.string)) }
    }
    guard !names.isEmpty else { return nil }
    let heading = TableHeading(names)
    do throws(CoordinateColumns.Fault) {
      let columns = try CoordinateColumns.find(heading, options)
      guard AngleColumns(heading, columns).all.isEmpty else { return nil }
      return switch columns {
      case .axes(let longitude, let latitude):
        PlaceMembers(
          holder: .axes(longitude: heading.written[longitude], latitude: heading.written[latitude]))
      case .geometry(let column): PlaceMembers(holder: .point(heading.written[column]))
      }
    } catch {
      if error.isAmbiguous { throw error }
      return nil
    }
  }

  /// Whether a member with a number, text or pair may be an axis or a point, by its name.
  private func canHold(_ key: TapeNode, _ value: TapeNode, _ options: TableOptions) -> Bool {
    let name = Array(key.string)
    if options.longitude != nil || options.geometry != nil {
      return [options.longitude, options.latitude, options.geometry].contains {
        PlaceSearch.isNamed(name, $0)
      }
    }
    let meaning = CoordinateName(name)
    if meaning.axis != nil { return value.kind != .array }
    // The service's own tables begin with it.
    guard meaning.geometry != nil else { return key.isString("id") }
    switch value.kind {
    case .array: return true
    case .string:
      let decimal = options.decimal ?? UInt8(ascii: ".")
      return (try? texts.point(value.string, decimal: decimal, order: meaning.order)) != nil
    default: return false
    }
  }

  private static func isNamed(_ name: [UInt8], _ option: String?) -> Bool {
    option.map { String(decoding: name, as: UTF8.self).isSameField(as: $0) } ?? false
  }

  /// Whether a list begins with two numbers.
  static func isPair(_ list: TapeNode) -> Bool {
    list.count >= 2 && list.firstChild.kind == .number && list.firstChild.next.kind == .number
  }

  /// The members that an object without coordinates lacks.
  private func missing(in object: TapeNode) -> String {
    if let longitude = options.longitude, let latitude = options.latitude {
      return "no numbers are in \(TableText.quoted(Array(longitude.utf8))) and "
        + TableText.quoted(Array(latitude.utf8))
    }
    if let geometry = options.geometry {
      return "no point is in \(TableText.quoted(Array(geometry.utf8)))"
    }
    var names: [String] = []
    object.forEachMember { key, _ in
      if names.count < 10 { names.append(TableText.quoted(key.string)) }
    }
    return "no coordinates are in it"
      + (names.isEmpty ? "" : ", only \(names.joined(separator: ", "))")
  }
}
