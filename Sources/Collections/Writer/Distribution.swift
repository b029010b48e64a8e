/// A histogram of values.
package struct Distribution: Sendable {
  /// The unit and buckets of a histogram.
  package enum Scale: Sendable {
    /// Nanoseconds, told as seconds: from a ten-thousandth of a second to some, or to a minute.
    case moments, waits
    /// Numbers of things.
    case counts

    /// The upper bounds of the buckets.
    package var bounds: [UInt] {
      switch self {
      case .moments: Scale.momentBounds
      case .waits: Scale.waitBounds
      case .counts: Scale.countBounds
      }
    }

    /// A value as it is told.
    package func text(_ value: UInt) -> String {
      if case .counts = self { return "\(value)" }
      return "\(Double(value) / 1e9)"
    }

    private static let momentBounds = seconds([
      0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
    ])
    private static let waitBounds = seconds([0.0001, 0.001, 0.01, 0.1, 0.5, 1, 2.5, 5, 10, 60])
    private static let countBounds: [UInt] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]

    private static func seconds(_ all: [Double]) -> [UInt] { all.map { UInt($0 * 1e9 + 0.5) } }
  }

  package let scale: Scale
  /// The values up to each bound that are above the one before.
  package private(set) var buckets: [UInt]
  package private(set) var count: UInt = 0
  package private(set) var sum: UInt = 0

  package init(_ scale: Scale) {
    self.scale = scale
    buckets = Array(repeating: 0, count: scale.bounds.count)
  }

  /// Adds a value. It doesn't allocate.
  package mutating func add(_ value: UInt) {
    count &+= 1
    sum &+= value
    let bounds = scale.bounds
    for index in bounds.indices where value <= bounds[index] {
      buckets[index] &+= 1
      return
    }
  }
}
