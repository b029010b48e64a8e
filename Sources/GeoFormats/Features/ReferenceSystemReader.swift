internal import Texts

/// Reads what GeoJSON says of its reference system: the member `crs`, which it had before RFC 7946, in any of its forms,
/// and `coordRefSys` of JSON-FG.
struct ReferenceSystemReader {
  /// The longest part of a member that is shown, in bytes.
  private static let shownLength = 80
  /// Reads members alone, as of a tape only what isn't deep is there. Created when it is needed.
  private var parser: JSONParser?

  /// Adds a note if coordinates are taken as something that they aren't quite.
  ///
  /// - Throws: a refusal if they are something else, or it isn't clear what.
  mutating func check(
    _ members: GeoJSONMembers, in place: StaticString, into parsed: inout ParsedFeatures
  ) throws(FeatureRefusal) {
    guard members.crs != nil || members.coordRefSys != nil else { return }
    for (member, name) in [(members.crs, "crs"), (members.coordRefSys, "coordRefSys")] {
      guard let member else { continue }
      let isTold = parsed.keepsReasons
      do throws(FeatureRefusal) { try check(member, isTold: isTold, into: &parsed) } catch {
        throw error.isOutOfMemory
          ? error : FeatureRefusal(if: isTold, "\(place)/\(name): \(error.detail)")
      }
    }
  }

  /// Checks one of the members.
  mutating func check(
    _ member: TapeNode, isTold: Bool = true, into parsed: inout ParsedFeatures
  ) throws(FeatureRefusal) {
    // By RFC 7946, and before that it told nothing.
    guard member.kind != .null else { return }
    let parser = parser ?? JSONParser()
    self.parser = parser
    let name: String?
    do throws(JSONError) {
      name = ReferenceSystemReader.name(try parser.parse(member.text))
    } catch {
      throw .outOfMemory
    }
    switch name.map({ ReferenceSystem(named: $0) }) {
    case .degrees?: return
    case .near(let system)?:
      parsed.note(
        "the coordinates are in \(system) and were taken as WGS 84, from which they differ by a metre or two"
      )
    case .other?, nil:
      guard isTold else { throw FeatureRefusal("") }
      let found = (name ?? String(decoding: member.text.prefix(200), as: UTF8.self))
        .shortened(to: ReferenceSystemReader.shownLength)
      throw FeatureRefusal(
        "the coordinates are in \(found), not in longitudes and latitudes of WGS 84; "
          + "ogr2ogr -t_srs EPSG:4326 converts them")
    }
  }

  /// The name of a system in a text, a number, an object of any form, or the first of a list; nil if it has none.
  static func name(_ value: JSONValue) -> String? {
    switch value.kind {
    case .string: return value.string
    case .number: return "EPSG:" + String(decoding: value.text, as: UTF8.self)
    case .array:
      guard let first = value.elements.first(where: { _ in true }), first.kind != .array else {
        return nil
      }
      return name(first)
    case .object:
      let properties = value["properties"]
      for key in ["name", "code", "urn", "href", "url"] as [StaticString] {
        for holder in [properties, value] {
          guard let text = holder?[key], [.string, .number].contains(text.kind) else { continue }
          return name(text)
        }
      }
      // As in PROJJSON.
      guard let code = value["id"]?["code"], [.string, .number].contains(code.kind) else {
        return nil
      }
      return name(code)
    default: return nil
    }
  }
}
