import ClusterCore
import GeoFormats
import Texts
import Threading

/// The features of a page for people as a table: a row for each, and a column for each of the first properties that they have.
struct FeatureTable {
  /// The most features of a table.
  static let mostRows = 1000
  /// The most columns, the most members of a feature that are looked at, and the features by which columns are chosen.
  private static let (mostColumns, mostMembers, sampled) = (12, 32, 100)
  /// The most bytes of a value, and of the name of a column.
  private static let longestText = 120

  /// A property.
  private struct Column {
    /// Its name as JSON has it.
    var name: [UInt8]
    /// Whether all values seen are numbers or null.
    var isNumeric: Bool
  }

  private let index: FeatureIndex
  private let ordinals: ArraySlice<Int>
  private let form: FeatureForm
  private var columns: [Column] = []
  /// Whether a feature was seen that has more than the table shows.
  private(set) var isPartial = false

  /// Chooses the columns for some features.
  ///
  /// - Parameter form: the form in which they are wanted.
  init(_ ordinals: ArraySlice<Int>, of index: FeatureIndex, _ form: FeatureForm) {
    (self.index, self.ordinals, self.form) = (index, ordinals, form)
    for ordinal in ordinals.prefix(FeatureTable.sampled) {
      let properties = index.record(at: ordinal).properties
      Cancellation.poll(500 &+ properties.count)
      var (expected, count) = (0, 0)
      for (name, value) in form.members(of: properties) {
        count += 1
        guard count <= FeatureTable.mostMembers else {
          isPartial = true
          break
        }
        let isNumeric = value.first.map {
          $0 == UInt8(ascii: "n") || "-0123456789".utf8.contains($0)
        }
        if let place = place(of: name, expected) {
          columns[place].isNumeric = columns[place].isNumeric && isNumeric == true
          expected = place + 1
        } else if columns.count < FeatureTable.mostColumns {
          columns.append(Column(name: Array(name), isNumeric: isNumeric == true))
          expected = columns.count
        } else {
          isPartial = true
        }
      }
    }
  }

  /// The column of a property.
  ///
  /// - Parameter expected: the column behind that of the member before: most features have theirs in one order.
  private func place(of name: UnsafeRawBufferPointer, _ expected: Int) -> Int? {
    if expected < columns.count, columns[expected].name.elementsEqual(name) { return expected }
    return columns.firstIndex { $0.name.elementsEqual(name) }
  }

  /// Writes the table.
  ///
  /// - Parameter path: the URL of the features, to which their ids are appended.
  func write(to html: inout HTMLWriter, _ path: String) {
    html.marks(
      "<div class=\"scroll\" role=\"region\" aria-label=\"Features\" tabindex=\"0\"><table class=\"many\"><thead><tr><th scope=\"col\">Id</th>"
    )
    if form.near != nil { html.marks("<th scope=\"col\" class=\"n\">Metres away</th>") }
    for column in columns {
      html.marks(column.isNumeric ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">")
      column.name.withUnsafeBytes { html.value($0, atMost: FeatureTable.longestText) }
      html.marks("</th>")
    }
    if form.hasGeometry {
      html.marks(
        "<th scope=\"col\" class=\"n\">Longitude</th><th scope=\"col\" class=\"n\">Latitude</th>")
    }
    html.marks("</tr></thead><tbody>")
    var values = [UnsafeRawBufferPointer?](repeating: nil, count: columns.count)
    for ordinal in ordinals {
      let record = index.record(at: ordinal)
      if Cancellation.poll(2000 &+ record.properties.count) { return }
      read(record.properties, into: &values)
      let id = "\(record.id)"
      html.add(
        "<tr><th scope=\"row\"><a href=\"\(path)/\(PercentCoding.encode(id))?f=html\">\(id)</a></th>"
      )
      if let near = form.near {
        let metres = Int(near.metres(to: record.coordinate).rounded())
        html.marks("<td class=\"n\">")
        html.text("\(metres)")
        html.marks("</td>")
      }
      for (value, column) in zip(values, columns) {
        html.marks(column.isNumeric ? "<td class=\"n\">" : "<td>")
        if let value { html.value(value, atMost: FeatureTable.longestText) }
        html.marks("</td>")
      }
      // Minus zero is zero.
      let place = [record.coordinate.longitude + 0, record.coordinate.latitude + 0]
      for degrees in form.hasGeometry ? place : [] {
        html.marks("<td class=\"n\">")
        html.text("\(degrees)")
        html.marks("</td>")
      }
      html.marks("</tr>")
    }
    html.marks("</tbody></table></div>")
  }

  /// Finds the value of each column; of members with one name the last counts.
  private func read(
    _ properties: UnsafeRawBufferPointer, into values: inout [UnsafeRawBufferPointer?]
  ) {
    for place in values.indices { values[place] = nil }
    var expected = 0
    for (name, value) in form.members(of: properties).prefix(FeatureTable.mostMembers) {
      guard let place = place(of: name, expected) else { continue }
      values[place] = value
      expected = place + 1
    }
  }
}
