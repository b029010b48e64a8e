import GeoFormats
import TestSupport

/// A random table, how it is written, and what must come of reading it.
struct TwinTable {
  /// How a place is written.
  enum Form: CaseIterable { case numbers, degrees, wkt, ewkt, wkb, geoJSON, pair }
  enum Quoting: CaseIterable { case few, texts, all }

  struct Field {
    var text: String
    var isQuoted = false
  }
  struct Column {
    var name: String
    var fields: [Field]
    var isProperty = true
  }

  var options = TableOptions()
  var idProperty: String?
  var bytes: [UInt8] = []
  /// The places in order, longitude first.
  var places: [[Double]] = []
  /// The ids and properties, as texts.
  var features: [String] = []
  /// Names between which nobody can choose; empty if all can be told.
  var choices: [String] = []
  /// Whether something that was said of the table is wrong.
  var isMisleading = false
  private var form = Form.numbers
  private var decimal = "."
  private var separator = ","
  private var isUnicode = true

  private static let axes = [
    ("lon", "lat"), ("LNG", "Lat"), ("longitude", "LATITUDE"), ("stop_lon", "stop_lat"),
    ("decimalLongitude", "decimalLatitude"), ("Longitude (deg)", "Latitude (deg)"),
    ("geo_lng", "geo_lat"),
    ("Länge", "Breite"), ("LÄNGENGRAD", "Breitengrad"), ("x", "Y"), ("x_coord", "y_coord"),
    ("Rechtswert", "Hochwert"), ("Ost", "Nord"),
  ]
  private static let points = [
    "WKT", "geom", "Geometry", "the_geom", "location", "coordinates", "geo_point_2d", "latLng",
    "Ort",
  ]

  init(_ random: inout SeededGenerator) {
    let rows = random.int(1...6)
    form = random.pick(Form.allCases)
    separator = random.pick([",", ";", "|", "\t"])
    decimal = form == .numbers && random.chance(0.5) ? "," : "."
    let encoding = random.pick([
      "", "", "bom", "UTF-16LE", "UTF-16BE", "windows-1252", "ISO-8859-15", "UTF-32LE",
    ])
    isUnicode = !encoding.hasPrefix("w") && !encoding.hasPrefix("I")
    var columns = placeColumns(rows, &random)
    let others = otherColumns(rows, &random)
    columns += others.columns
    columns.shuffle(using: &random)
    quote(&columns, random.pick(Quoting.allCases), &random)
    if random.chance(0.2) { options.decimal = decimal.utf8.first }
    features = expected(columns, rows, id: others.id)
    bytes = encoded(text(columns, rows, &random), encoding)
    if random.chance(0.1) { mislead(&random) }
  }

  // MARK: Columns

  private mutating func placeColumns(_ rows: Int, _ random: inout SeededGenerator) -> [Column] {
    var texts: [[String]] = []
    for _ in 0..<rows {
      let scale = [1.0, 10, 1000, 1e7][random.int(0...3)]
      let place = [180.0, 90].map { (random.double(-$0...$0) * scale).rounded() / scale + 0 }
      let (place_, text) = written(place, &random)
      places.append(place_)
      texts.append(text)
    }
    guard texts[0].count == 2 else {
      let name = random.pick(TwinTable.points)
      if name == "Ort" { options.geometry = name }
      return [Column(name: name, fields: texts.map { Field(text: $0[0]) }, isProperty: false)]
    }
    let names = random.pick(TwinTable.axes)
    if names.0 == "Ost" || random.chance(0.1) { (options.longitude, options.latitude) = names }
    var columns = [
      Column(name: names.0, fields: texts.map { Field(text: $0[0]) }, isProperty: false),
      Column(name: names.1, fields: texts.map { Field(text: $0[1]) }, isProperty: false),
    ]
    if random.chance(0.1) {
      // Others of the same kind, which hold other places.
      let more = ["end_lon", "end_lat"]
      for name in more {
        let fields = (0..<rows).map { _ in Field(text: "\(random.int(-90...90))") }
        columns.append(Column(name: name, fields: fields))
      }
      if ["stop_lon", "geo_lng", "decimalLongitude", "Longitude (deg)"].contains(names.0),
        options.longitude == nil
      {
        choices = [names.0, names.1] + more
      } else if options.longitude == nil, !["lon", "LNG", "longitude"].contains(names.0) {
        // Then these are the surer ones.
        columns.removeLast(2)
      }
    }
    return columns
  }

  /// The place that a random spelling of about this one means, and the spelling in one or two fields.
  private func written(_ place: [Double], _ random: inout SeededGenerator) -> ([Double], [String]) {
    let plain = place.map {
      "\($0)".hasSuffix(".0") && !"\($0)".contains("e") ? "\(Int($0))" : "\($0)"
    }
    switch form {
    case .numbers:
      let minus = isUnicode && random.chance(0.2) ? "−" : "-"
      return (place, plain.map { spelled($0.replacing(".", with: decimal), minus) })
    case .degrees:
      let (x, y) = (degrees(place[0], "EW", 179, &random), degrees(place[1], "NS", 89, &random))
      return ([x.0, y.0], [x.1, y.1])
    case .wkt:
      return (
        place,
        [random.pick(["POINT (", "Point(", "POINT  ( "]) + plain.joined(separator: " ") + ")"]
      )
    case .ewkt: return (place, ["SRID=4326;POINT(\(plain[0])  \(plain[1]))"])
    case .wkb:
      let isLittle = random.chance(0.5)
      func hex(_ value: UInt64, _ count: Int) -> String {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * ($0))) }
        return (isLittle ? bytes : bytes.reversed()).map { byte in
          (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
      }
      let type = random.chance(0.5) ? hex(1, 4) : hex(0x2000_0001, 4) + hex(4326, 4)
      let text = (isLittle ? "01" : "00") + type + place.map { hex($0.bitPattern, 8) }.joined()
      return (place, [random.chance(0.5) ? text : text.uppercased()])
    case .geoJSON:
      return (place, ["{\"type\":\"Point\",\"coordinates\":[\(plain[0]), \(plain[1])]}"])
    case .pair: return (place, [plain[1] + random.pick([",", ", "]) + plain[0]])
    }
  }

  private func spelled(_ number: String, _ minus: String) -> String {
    number.hasPrefix("-") && !number.contains("e") ? minus + number.dropFirst() : number
  }

  private func degrees(
    _ value: Double, _ letters: String, _ most: Int, _ random: inout SeededGenerator
  ) -> (Double, String) {
    let parts = random.int(1...3)
    let whole = min(Int(value.magnitude), most)
    let numbers = [whole, random.int(0...59), random.int(0...59)].prefix(parts)
    let hundredths = random.int(0...1) * random.int(1...99)
    var total = 0.0
    var text = ""
    let signs = isUnicode && random.chance(0.5) ? ["°", "′", "″"] : ["°", "'", "\""]
    for (index, number) in numbers.enumerated() {
      let isLast = index == parts - 1
      let fraction =
        isLast && hundredths > 0 ? (hundredths < 10 ? ".0" : ".") + "\(hundredths)" : ""
      total += (Double("\(number)\(fraction)") ?? 0) * [3600.0, 60, 1][index]
      text += "\(number)\(fraction.replacing(".", with: random.pick([".", ","])))\(signs[index])"
      if !isLast, random.chance(0.3) { text += " " }
    }
    let isNegative = value < 0
    let letter = isNegative ? letters.dropFirst() : letters.prefix(1)
    switch random.int(0...2) {
    case 0: text = letter + random.pick(["", " "]) + text
    case 1: text += random.pick(["", " "]) + letter
    default: text = (isNegative ? "-" : "") + text
    }
    return ((isNegative ? -total : total) / 3600, text)
  }

  private mutating func otherColumns(
    _ rows: Int, _ random: inout SeededGenerator
  ) -> (columns: [Column], id: String?) {
    var columns: [Column] = []
    var id: String?
    if random.chance(0.7) {
      let kind = random.int(0...2)
      let fields = (0..<rows).map { row in
        Field(
          text: kind == 0 || kind == 1 && random.chance(0.5)
            ? "\(row - 2)" : random.pick(["A\(row)", "00\(row)", "", "é \(row)"]))
      }
      id = random.pick(["id", "Id", "Nr"])
      if id == "Nr" || random.chance(0.2) { idProperty = id }
      columns.append(Column(name: id ?? "", fields: fields, isProperty: idProperty != nil))
    }
    for name in ["name", "n", "größe", "long_name", "a b"].shuffled(using: &random).prefix(
      random.int(0...3))
    {
      let kind = random.int(0...3)
      let fields = (0..<rows).map { _ in
        let number = random.pick([
          "7", "-1\(decimal)5", "0", "1\(decimal)50", "2e3", "-0\(decimal)25", "1\(decimal)5E2",
        ])
        let other = (0..<random.int(0...5)).map { _ in
          String(
            random.pick(["a", "ä", "é", " ", ",", ";", "|", "\t", "\"", "\n", "0", ".", "1", "°"]))
        }.joined()
        let text = kind == 0 || kind == 1 && random.chance(0.5) ? number : other
        return Field(text: random.chance(0.2) ? "" : text)
      }
      columns.append(Column(name: name, fields: fields))
    }
    return (columns, id)
  }

  // MARK: Writing

  private func quote(
    _ columns: inout [Column], _ quoting: Quoting, _ random: inout SeededGenerator
  ) {
    for column in columns.indices {
      for row in columns[column].fields.indices {
        let text = columns[column].fields[row].text
        let isNeeded =
          text.contains(separator)
          || text.unicodeScalars.contains { "\"\n\r".unicodeScalars.contains($0) }
        columns[column].fields[row].isQuoted =
          isNeeded || quoting == .all && !text.isEmpty
          || quoting == .texts && !text.isEmpty && !isNumber(text, decimal)
          || random.chance(0.02) && !text.isEmpty
      }
    }
  }

  private mutating func text(
    _ columns: [Column], _ rows: Int, _ random: inout SeededGenerator
  ) -> String {
    let lineBreak = random.pick(["\n", "\r\n", "\r"])
    var lines: [String] = []
    switch random.int(0...3) {
    case 0: lines.append("sep=\(separator)")
    case 1: options.separator = separator.utf8.first
    default: break
    }
    if random.chance(0.1) { lines.append("") }
    lines.append(
      columns.map { column in
        let name = random.chance(0.1) ? " \(column.name) " : column.name
        return random.chance(0.2) || name.contains(separator) ? "\"\(name)\"" : name
      }.joined(separator: separator))
    for row in 0..<rows {
      if random.chance(0.1) {
        lines.append(String(repeating: separator, count: random.int(0...columns.count)))
      }
      lines.append(
        columns.map { column in
          let field = column.fields[row]
          return field.isQuoted
            ? "\"" + field.text.replacing("\"", with: "\"\"") + "\"" : field.text
        }.joined(separator: separator))
    }
    return lines.joined(separator: lineBreak) + (random.chance(0.7) ? lineBreak : "")
  }

  private mutating func encoded(_ text: String, _ encoding: String) -> [UInt8] {
    switch encoding {
    case "UTF-16LE":
      return [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    case "UTF-16BE":
      return [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    case "UTF-32LE":
      options.encoding = encoding
      return text.unicodeScalars.flatMap { scalar in
        (0..<4).map { UInt8(truncatingIfNeeded: scalar.value >> (8 * $0)) }
      }
    case "windows-1252", "ISO-8859-15":
      options.encoding = encoding
      return text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    case "bom": return [0xEF, 0xBB, 0xBF] + text.utf8
    default: return Array(text.utf8)
    }
  }

  /// Says something wrong.
  private mutating func mislead(_ random: inout SeededGenerator) {
    isMisleading = true
    switch random.int(0...2) {
    case 0: options.decimal = decimal == "," ? 0x2E : 0x2C
    case 1: options.separator = random.pick([0x2C, 0x3B, 0x7C, 0x09])
    default:
      options.encoding = random.pick([
        "UTF-8", "UTF-16LE", "UTF-16BE", "windows-1252", "EBCDIC-US", "UTF-7",
      ])
    }
  }

  // MARK: Reading

  /// The ids and properties that must come of it.
  private func expected(_ columns: [Column], _ rows: Int, id: String?) -> [String] {
    var mark = decimal
    if options.decimal == nil {
      let places = columns.filter { !$0.isProperty && $0.name != id }.flatMap(\.fields)
      let commas = places.count { $0.text.contains(",") }
      mark = form == .numbers && commas > 0 ? "," : "."
    }
    let isNumbers = columns.map { column in
      column.fields.allSatisfy { field in
        field.text.isEmpty
          || isNumber(field.text, mark)
            && (!field.isQuoted || separator == "," && field.text.contains(","))
      }
    }
    let ids = columns.first { $0.name == id }?.fields.map(\.text)
    let areIntegers = ids?.allSatisfy { $0.isEmpty || Int($0).map { "\($0)" } == $0 } ?? false
    return (0..<rows).map { row in
      var json = JSONWriter()
      json.beginObject()
      for (column, isNumbers) in zip(columns, isNumbers)
      where column.isProperty && !column.fields[row].text.isEmpty {
        let text = column.fields[row].text
        json.keyUTF8(text: column.name)
        if isNumbers {
          json.raw(Array(text.replacing(mark, with: ".").utf8))
        } else {
          json.value(text)
        }
      }
      json.endObject()
      let id = ids.map { $0[row] } ?? ""
      return "\(id.isEmpty ? "-" : (areIntegers ? id : "\"\(id)\"")) "
        + String(decoding: json.bytes, as: UTF8.self)
    }
  }

  /// Whether a text is a JSON number but for the mark before its decimals.
  private func isNumber(_ text: String, _ mark: String) -> Bool {
    var rest = Array(text.utf8)[...]
    func digits() -> Int {
      let count = rest.prefix { (0x30...0x39).contains($0) }.count
      rest = rest.dropFirst(count)
      return count
    }
    if rest.first == 0x2D { rest = rest.dropFirst() }
    let isZero = rest.first == 0x30
    let whole = digits()
    guard whole > 0, !isZero || whole == 1 else { return false }
    if rest.first == mark.utf8.first {
      rest = rest.dropFirst()
      guard digits() > 0 else { return false }
    }
    if rest.first == 0x65 || rest.first == 0x45 {
      rest = rest.dropFirst()
      if rest.first == 0x2D || rest.first == 0x2B { rest = rest.dropFirst() }
      guard digits() > 0 else { return false }
    }
    return rest.isEmpty
  }
}

extension JSONWriter {
  fileprivate mutating func keyUTF8(text: String) {
    Array(text.utf8).withUnsafeBytes { keyUTF8($0) }
  }
}
