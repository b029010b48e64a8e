internal import ClusterCore
internal import Texts

/// A function of CQL2, or an operator written like one.
enum CQL2Function: Equatable {
  case folding(TextFolding)
  case date, timestamp, interval
  case temporal(TimeRelation)
  case spatial(isNegated: Bool)
  /// S_DWITHIN
  case distance
  case geometry(CQL2Geometry)

  /// The function with a name in any case; nil if there is none.
  init?(_ name: [UInt8]) {
    guard name.count <= 20 else { return nil }
    let name = String(decoding: name, as: UTF8.self).lowercasedASCII
    switch name {
    case "casei": self = .folding(.casing)
    case "accenti": self = .folding(.accents)
    case "date": self = .date
    case "timestamp": self = .timestamp
    case "interval": self = .interval
    case "s_intersects": self = .spatial(isNegated: false)
    case "s_disjoint": self = .spatial(isNegated: true)
    case "s_dwithin": self = .distance
    default:
      if let rest = name.after("t_"),
        let relation = TimeRelation.allCases.first(where: { rest.isSameField(as: $0.rawValue) })
      {
        self = .temporal(relation)
      } else if let geometry = CQL2Geometry(name: name) {
        self = .geometry(geometry)
      } else {
        return nil
      }
    }
  }

  /// Whether a word is ILIKE in any case, which other databases have.
  static func isCaselessLike(_ word: [UInt8]) -> Bool {
    word.count == 5 && String(decoding: word, as: UTF8.self).lowercasedASCII == "ilike"
  }

  /// The hint to replace ILIKE.
  static let caselessHint = "LIKE in any case is CASEI(name) LIKE CASEI('pattern')"
}
