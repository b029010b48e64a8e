import ClusterCore

/// Ids of annotations: what is read is written the same, and leads nowhere but to annotations.
enum FuzzAnnotationID {
  static func feed(_ input: UnsafeRawBufferPointer) throws {
    let text = String(decoding: input, as: UTF8.self)
    guard let id = AnnotationID(text: text) else { return }
    try FuzzFinding.unless(id.text == text, "\(text) is written \(id.text)")
    guard let drilldown = Drilldown(id, in: FuzzFilter.shared.collection, Drilldown.Options())
    else { return }
    try FuzzFinding.unless(drilldown.annotation.count >= 1, "\(text) is of no feature")
    _ = drilldown.expansion
    _ = try? drilldown.children(zoom: 24, limit: 10_000)
  }
}
