import Collections

/// Figures in Prometheus' text format 0.0.4. Names are without `pincluster_`.
struct PrometheusText {
  /// Labels between braces, or nothing, and a value.
  typealias Sample = (labels: String, value: String)

  private(set) var text = ""

  /// Adds a metric.
  mutating func add(_ name: String, _ type: String, _ help: String, _ samples: [Sample]) {
    begin("pincluster_\(name)", type, help)
    for sample in samples { text += "pincluster_\(name)\(sample.labels) \(sample.value)\n" }
  }

  /// Adds a counter without labels.
  mutating func counter(_ name: String, _ help: String, _ value: Int) {
    add(name, "counter", help, [("", "\(value)")])
  }

  /// Adds a gauge without labels.
  mutating func gauge(_ name: String, _ help: String, _ value: Int) {
    add(name, "gauge", help, [("", "\(value)")])
  }

  /// Adds a metric whose name every program uses.
  mutating func common(_ name: String, _ type: String, _ help: String, _ value: String) {
    begin(name, type, help)
    text += "\(name) \(value)\n"
  }

  /// Adds a histogram. Its labels are without braces.
  mutating func histogram(
    _ name: String, _ help: String, _ samples: [(labels: String, value: Distribution)]
  ) {
    begin("pincluster_\(name)", "histogram", help)
    for (labels, histogram) in samples {
      let (inner, outer) = labels.isEmpty ? ("", "") : (labels + ",", "{\(labels)}")
      var total: UInt = 0
      for (bound, bucket) in zip(histogram.scale.bounds, histogram.buckets) {
        total += bucket
        let edge = histogram.scale.text(bound)
        text += "pincluster_\(name)_bucket{\(inner)le=\"\(edge)\"} \(total)\n"
      }
      text += "pincluster_\(name)_bucket{\(inner)le=\"+Inf\"} \(histogram.count)\n"
      text += "pincluster_\(name)_sum\(outer) \(histogram.scale.text(histogram.sum))\n"
      text += "pincluster_\(name)_count\(outer) \(histogram.count)\n"
    }
  }

  private mutating func begin(_ name: String, _ type: String, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
  }
}
