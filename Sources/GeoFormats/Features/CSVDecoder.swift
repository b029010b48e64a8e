internal import ClusterCore

/// Decodes the records of a table into records of a batch, or only surveys their fields.
struct CSVDecoder {
  /// The kind of a record, before its fields are read.
  enum Shape {
    case feature
    /// Only empty fields.
    case blank
    case bad(CSVFields.Fault)
  }

  private let plan: TablePlan
  /// The maximum length of the properties as JSON, in bytes.
  private let maximumLength: Int
  private let isPoint: Bool
  private var fields: CSVFields
  private var properties = JSONWriter()
  private var altitude: Double?
  /// Whether the reason of a refusal is told.
  private var isTold = true
  private var points = PointText()
  /// The order of numbers in the column of points, as far as its name tells.
  private let order: PointText.Order
  private var unique: UniqueColumns

  /// The kinds of fields in each column.
  private(set) var kinds: [ColumnKinds]
  /// Integers that can be ids are ``ColumnKinds/whole``, all others ``ColumnKinds/text``.
  private(set) var ids: ColumnKinds = []
  /// The coordinates with decimals behind a point, and such behind a comma.
  private(set) var withPoint = 0
  private(set) var withComma = 0
  /// The end that all records have.
  private(set) var lastField = TablePlan.LastField.open
  /// Whether degrees have signs or letters of their own.
  private(set) var hasSigns = false
  /// The columns of hemispheres with at least one letter.
  private(set) var withLetter: Set<Int> = []
  /// Whether the table contradicts the plan.
  private(set) var isContradicted = false

  init(plan: TablePlan, maximumLength: Int) {
    (self.plan, self.maximumLength) = (plan, maximumLength)
    isPoint = plan.decimal == UInt8(ascii: ".")
    fields = CSVFields(separator: plan.separator, skipsBlanks: plan.skipsBlanks)
    if case .geometry(let column) = plan.coordinates {
      order = CoordinateName(plan.heading.written[column]).order
    } else {
      order = PointText.Order()
    }
    kinds = Array(repeating: [], count: plan.properties.count)
    unique = UniqueColumns(plan)
  }

  /// Notes on unusual fields.
  var notes: [String] {
    TableNotes.fields(plan, kinds, ids: ids, unique: unique.finding)
  }

  private func name(_ field: Int) -> String {
    field < plan.heading.names.count
      ? "the column \(plan.heading.shown(field))" : "field \(field + 1)"
  }

  /// Splits a record, which is valid UTF-8.
  mutating func split(_ record: UnsafeRawBufferPointer) -> Shape {
    if let fault = fields.split(record) { return .bad(fault) }
    if fields.areEmpty(record) { return .blank }
    let isEven = fields.fields.count == plan.properties.count
    let last = isEven ? .asItIs : fields.evenOut(plan.heading, plan.lastField)
    if lastField != last { lastField = lastField == .open ? last : .asItIs }
    guard fields.fields.count == plan.properties.count else {
      return .bad(.count(fields.fields.count))
    }
    return .feature
  }

  /// The fault of a record, for the client.
  func detail(_ fault: CSVFields.Fault) -> String {
    fault.detail(columns: plan.properties.count, name)
  }

  /// The column in which bytes aren't UTF-8, and its value, for messages.
  func invalidField(_ record: UnsafeRawBufferPointer) -> String {
    var fields = CSVFields(separator: plan.separator, skipsBlanks: plan.skipsBlanks)
    _ = fields.split(record)
    let index = fields.fields.firstIndex {
      !JSONText.isUTF8(UnsafeRawBufferPointer(rebasing: record[$0.start..<$0.end]))
    }
    guard let index else { return TableText.quoted(record) }
    let field = fields.fields[index]
    return "\(TableText.quoted(record[field.start..<field.end])) in \(name(index))"
  }

  /// Notes the kinds of the fields of the record that was split.
  mutating func look(_ record: UnsafeRawBufferPointer) {
    for (index, field) in fields.fields.enumerated() where field.start < field.end {
      CSVFields.withText(of: field, in: record) { text in
        if index == plan.id {
          ids.formUnion(FeatureID.canonicalInteger(text) == nil ? .text : .whole)
        }
        if plan.hemispheres.isLetter(text, in: index) { withLetter.insert(index) }
        if !plan.properties[index].isEmpty {
          note(
            ColumnKinds.of(text, isQuoted: field.isQuoted, separator: plan.separator), index)
        } else if plan.coordinates.contains(index) || plan.angles.all.contains(index) {
          noteCoordinate(text)
        }
      }
    }
    if ids.contains(.text) && !plan.idsAreText && !plan.isFinal { isContradicted = true }
  }

  /// Appends the feature of the record that was parted.
  ///
  /// - Parameter isTold: whether the reason is told if it is refused.
  mutating func decode(
    _ record: UnsafeRawBufferPointer, into batch: inout FeatureBatch, isTold: Bool
  ) throws(FeatureRefusal) {
    (self.isTold, points.isTold) = (isTold, isTold)
    do throws(FeatureRefusal) {
      let coordinate = try coordinate(record)
      let id = try id(record)
      try writeProperties(record)
      unique.add(fields.fields, record)
      withUnsafePointer(to: altitude ?? 0) { altitude in
        properties.withBytes { properties in
          batch.append(
            id: id, coordinate: coordinate,
            further: UnsafeBufferPointer(
              start: altitude, count: self.altitude == nil ? 0 : 1),
            properties: properties)
        }
      }
    } catch {
      // Its other fields count all the same.
      look(record)
      throw error
    }
  }

  // MARK: Kinds of fields

  private mutating func note(_ kind: ColumnKinds, _ column: Int) {
    guard !kinds[column].contains(kind) else { return }
    kinds[column].formUnion(kind)
    if plan.mayChange(by: kind, in: column) { isContradicted = true }
  }

  private mutating func noteCoordinate(_ text: UnsafeRawBufferPointer) {
    guard case .axes = plan.coordinates, let plain = CoordinateText.plain(text) else { return }
    if !plan.hemispheres.isEmpty, !hasSigns {
      hasSigns = plain.contains {
        $0 == UInt8(ascii: "-") || "NSEW".utf8.contains($0)
      }
    }
    let kind = plain.withUnsafeBytes {
      ColumnKinds.of(JSONText.trimmed($0), isQuoted: false, separator: plan.separator)
    }
    if kind == .point { withPoint += 1 }
    if kind == .comma { withComma += 1 }
    if !plan.isDecimalGiven, !plan.isFinal, kind == (isPoint ? .comma : .point) {
      isContradicted = true
    }
  }

  // MARK: Coordinates

  private mutating func coordinate(
    _ record: UnsafeRawBufferPointer
  ) throws(FeatureRefusal) -> Coordinate {
    let coordinate: Coordinate
    // The column that is wrong, if one is.
    let column: Int
    switch plan.coordinates {
    case .axes(let longitude, let latitude):
      let x = try number(longitude, .longitude, record)
      let y = try number(latitude, .latitude, record)
      coordinate = Coordinate(latitude: y, longitude: x)
      let isLongitude = x.magnitude > 360 || x.magnitude > 180 && y.magnitude <= 360
      column = isLongitude ? longitude : latitude
    case .geometry(let geometry):
      let point = try point(geometry, record)
      coordinate = Coordinate(latitude: point.latitude, longitude: point.longitude)
      (column, altitude) = (geometry, point.altitude)
    }
    if coordinate.longitude.magnitude <= 180, coordinate.latitude.magnitude <= 90 {
      return coordinate
    }
    if coordinate.isProjected {
      throw FeatureRefusal(if: isTold, "\(shown(column, record)) is \(Coordinate.projected)")
    }
    do throws(FeatureRefusal) {
      try coordinate.check(isTold: isTold)
    } catch {
      throw FeatureRefusal(if: isTold, "\(shown(column, record)): \(error.detail)")
    }
    return coordinate
  }

  private func number(
    _ column: Int, _ axis: CoordinateText.Axis, _ record: UnsafeRawBufferPointer
  ) throws(FeatureRefusal) -> Double {
    let field = fields.fields[column]
    // A closure that captures a part of `self` would copy all of it.
    let (isPoint, decimal) = (isPoint, plan.decimal)
    let value = CSVFields.withText(of: field, in: record) { (text) -> CoordinateText.Value? in
      let text = JSONText.trimmed(text)
      if isPoint, let number = JSONText.decimal(text) {
        return CoordinateText.Value(degrees: number)
      }
      return CoordinateText.value(text, decimal: decimal)
    }
    guard let value else {
      let hasPoint = record[field.start..<field.end].contains(UInt8(ascii: "."))
      let mark = isPoint || !hasPoint ? "" : " with a comma before its decimals"
      throw FeatureRefusal(if: isTold, "\(shown(column, record)) is not a number\(mark)")
    }
    guard value.axis == nil || value.axis == axis else {
      let other = axis == .longitude ? "latitude" : "longitude"
      throw FeatureRefusal(if: isTold, "\(shown(column, record)) is a \(other)")
    }
    let degrees = try withParts(value.degrees, axis, record)
    guard let letters = plan.hemispheres[axis] else { return degrees }
    return try isNegative(letters, axis, value, record) ? -degrees : degrees
  }

  /// Degrees with the minutes and seconds that have columns of their own.
  private func withParts(
    _ degrees: Double, _ axis: CoordinateText.Axis, _ record: UnsafeRawBufferPointer
  ) throws(FeatureRefusal) -> Double {
    guard let parts = plan.angles[axis] else { return degrees }
    var seconds = degrees.magnitude * 3600
    for (column, unit) in zip(parts.all, [60.0, 1]) {
      let field = fields.fields[column]
      let decimal = plan.decimal
      let number = CSVFields.withText(of: field, in: record) {
        let text = JSONText.trimmed($0)
        return text.isEmpty ? 0 : CoordinateText.number(text, decimal: decimal)
      }
      guard let number, number >= 0, number < 60 else {
        throw FeatureRefusal(if: isTold, "\(shown(column, record)) is no number from 0 to 60")
      }
      seconds += number * unit
    }
    return degrees.sign == .minus ? -seconds / 3600 : seconds / 3600
  }

  /// Whether the letter in a column makes degrees negative.
  private func isNegative(
    _ column: Int, _ axis: CoordinateText.Axis, _ value: CoordinateText.Value,
    _ record: UnsafeRawBufferPointer
  ) throws(FeatureRefusal) -> Bool {
    let isNegative = CSVFields.withText(of: fields.fields[column], in: record) {
      HemisphereColumns.isNegative($0, axis)
    }
    guard let isNegative = isNegative ?? (value.degrees == 0 ? false : nil) else {
      let letters = axis == .longitude ? "E nor W" : "N nor S"
      throw FeatureRefusal(if: isTold, "\(shown(column, record)) is neither \(letters)")
    }
    // A sign or letter beside a letter could mean either.
    guard value.degrees >= 0, value.axis == nil else {
      throw FeatureRefusal(
        if: isTold, "\(shown(column, record)) stands beside degrees that have a sign or a letter")
    }
    return isNegative
  }

  private func point(
    _ column: Int, _ record: UnsafeRawBufferPointer
  ) throws(FeatureRefusal) -> PointText.Point {
    let (points, decimal, order) = (points, plan.decimal, order)
    do throws(FeatureRefusal) {
      return try CSVFields.withText(of: fields.fields[column], in: record) {
        (text) throws(FeatureRefusal) in
        try points.point(text, decimal: decimal, order: order)
      }
    } catch {
      throw FeatureRefusal(if: isTold, "\(shown(column, record)) \(error.detail)")
    }
  }

  /// A value and its column, for messages.
  private func shown(_ column: Int, _ record: UnsafeRawBufferPointer) -> String {
    let value = CSVFields.withText(of: fields.fields[column], in: record) {
      TableText.quoted($0)
    }
    return "\(value) in the column \(plan.heading.shown(column))"
  }

  // MARK: Ids and properties

  private mutating func id(_ record: UnsafeRawBufferPointer) throws(FeatureRefusal) -> FeatureID? {
    guard let column = plan.id else { return nil }
    let field = fields.fields[column]
    guard field.start < field.end else { return nil }
    do throws(FeatureID.Invalid) {
      let asText = plan.idsAreText
      let id = try CSVFields.withText(of: field, in: record) { (text) throws(FeatureID.Invalid) in
        try (asText ? FeatureID(utf8: text) : FeatureID(bareUTF8: text)).ofNewFeature()
      }
      if case .text = id.key {
        ids.formUnion(.text)
        if !asText, !plan.isFinal { isContradicted = true }
      } else {
        ids.formUnion(.whole)
      }
      return id
    } catch {
      throw FeatureRefusal(if: isTold, "\(shown(column, record)): \(error.reason)")
    }
  }

  private mutating func writeProperties(
    _ record: UnsafeRawBufferPointer
  ) throws(FeatureRefusal) {
    properties.removeAll()
    properties.beginObject()
    for (index, field) in fields.fields.enumerated() {
      guard field.start < field.end, !plan.properties[index].isEmpty else { continue }
      // Checked before it is written, so that a refusal costs little.
      let length = properties.count + plan.properties[index].count + field.end - field.start
      guard length < maximumLength else { throw tooLong(with: index) }
      try CSVFields.withText(of: field, in: record) { (text) throws(FeatureRefusal) in
        properties.separate()
        plan.properties[index].withUnsafeBytes { properties.append($0) }
        let isNumber = isNumber(text, field, index)
        if !plan.isNumbers[index] || !isNumber { return properties.stringUTF8(text) }
        guard
          isPoint ? writeNumber(text) : CoordinateText.withPoint(text, { writeNumber($0) }) == true
        else {
          throw FeatureRefusal(if: isTold, "\(shown(index, record)) is a number out of range")
        }
      }
    }
    properties.endObject()
    // Escapes may have made it longer than the text.
    guard properties.count <= maximumLength else { throw tooLong(with: fields.fields.count - 1) }
  }

  /// Writes a number with a point before its decimals. Returns false if it is out of range.
  @inline(__always)
  private mutating func writeNumber(_ text: UnsafeRawBufferPointer) -> Bool {
    guard JSONText.isFinite(text) else { return false }
    properties.raw(text)
    return true
  }

  /// Whether a field is a number of its column's. Notes its kind.
  @inline(__always)
  private mutating func isNumber(
    _ text: UnsafeRawBufferPointer, _ field: CSVFields.Field, _ column: Int
  ) -> Bool {
    if isPoint, !field.isQuoted {
      // Most columns need no more.
      let isNumber = JSONText.isNumber(text)
      if isNumber {
        if kinds[column].isDisjoint(with: [.whole, .point]) { kinds[column].formUnion(.whole) }
      } else {
        note(.text, column)
      }
      return isNumber
    }
    let kind = ColumnKinds.of(text, isQuoted: field.isQuoted, separator: plan.separator)
    note(kind, column)
    return kind.areNumbers(decimal: plan.decimal)
  }

  private func tooLong(with field: Int) -> FeatureRefusal {
    FeatureRefusal(
      if: isTold,
      "field \(field + 1): with it the properties take more than \(maximumLength) bytes, as each repeats "
        + "the name of its column")
  }
}
