import ClusterCore
import GeoFormats
import Glibc

/// Deterministic data: points that crowd like cities.
struct Synthetic {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// The next number of SplitMix64.
  private mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
    return z ^ z >> 31
  }

  /// Uniform in [0, 1).
  mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Roughly normal with deviation 0.58: the centred sum of four uniform numbers.
  private mutating func bell() -> Double {
    uniform() + uniform() + uniform() + uniform() - 2
  }

  /// A coordinate about 30 km from another, with five decimals.
  mutating func near(_ other: Coordinate) -> Coordinate {
    func rounded(_ degrees: Double) -> Double { (degrees * 1e5).rounded() / 1e5 }
    let latitude = other.latitude + bell() * 0.35
    let longitude = Geodesy.normalisedLongitude(other.longitude + bell() * 0.52)
    return Coordinate(latitude: rounded(min(max(latitude, -90), 90)), longitude: rounded(longitude))
  }

  /// `count` coordinates around a few thousand centres of very different size, one in fifty of them
  /// anywhere; seven decimals, as real data has.
  mutating func cities(_ count: Int) -> [Coordinate] {
    let centres = (0..<4000).map { _ in
      (
        latitude: uniform() * 130 - 58, longitude: uniform() * 360 - 180,
        // Cubed: a few wide regions, many narrow ones.
        spread: 0.01 + 3 * pow(uniform(), 3)
      )
    }
    return (0..<count).map { _ in
      if uniform() < 0.02 { return rounded(uniform() * 170 - 85, uniform() * 360 - 180) }
      // Squared: the first centres are the most crowded.
      let centre = centres[Int(uniform() * uniform() * 4000)]
      return rounded(
        centre.latitude + bell() * centre.spread, centre.longitude + bell() * centre.spread)
    }
  }

  private func rounded(_ latitude: Double, _ longitude: Double) -> Coordinate {
    Coordinate(
      latitude: (min(max(latitude, -90), 90) * 1e7).rounded() / 1e7,
      longitude: (Geodesy.normalisedLongitude(longitude) * 1e7).rounded() / 1e7)
  }
  /// A GeoJSON Feature with a Point and an integer id.
  ///
  /// - Parameter members: writes the properties.
  static func feature(
    _ id: Int, _ coordinate: Coordinate, _ members: (inout JSONWriter) -> Void
  ) throws -> String {
    var properties = JSONWriter(reserving: 256)
    properties.beginObject()
    members(&properties)
    properties.endObject()
    var batch = FeatureBatch()
    try properties.withBytes { try batch.append(id, coordinate, $0) }
    var json = JSONWriter(reserving: 512)
    batch.withRecord(at: 0) { json.feature($0, tellsNever: false) }
    return json.withBytes { String(decoding: $0, as: UTF8.self) }
  }
}

extension FeatureBatch {
  /// Appends a Point with an integer id.
  mutating func append(
    _ id: Int, _ coordinate: Coordinate, _ properties: UnsafeRawBufferPointer
  ) throws {
    append(
      id: try FeatureID(integer: Int64(id)), coordinate: coordinate,
      further: UnsafeBufferPointer(start: nil, count: 0), properties: properties)
  }
}
