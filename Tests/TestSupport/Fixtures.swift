import ClusterCore
import Glibc

/// Real data for the tests.
public enum Fixtures {
  /// What went wrong with a file.
  public struct Unreadable: Error, Sendable {
    /// The file.
    public let path: String
    /// Why.
    public let reason: String
  }

  /// The root of the package.
  public static let root: String = {
    var parts = #filePath.split(separator: "/")
    parts.removeLast(3)  // Tests/TestSupport/Fixtures.swift
    return "/" + parts.joined(separator: "/")
  }()

  /// The path of a data file: in `scripts/sample/`, or else in the directory that
  /// PINCLUSTER_TEST_DATA names. Nil if it is in neither.
  public static func path(named name: String) -> String? {
    var directories = [root + "/scripts/sample"]
    if let extra = getenv("PINCLUSTER_TEST_DATA") { directories.append(String(cString: extra)) }
    return directories.map { $0 + "/" + name }.first { access($0, R_OK) == 0 }
  }

  /// The cities of `cities15000.csv`; nil if the file isn't there.
  public static func cities() throws -> [TwinFeature]? {
    guard let path = path(named: "cities15000.csv") else { return nil }
    return try csv(path: path)
  }

  /// The stones of `berlin-stones.geojson`; nil if the file isn't there.
  public static func berlinStones() throws -> [TwinFeature]? {
    guard let path = path(named: "berlin-stones.geojson") else { return nil }
    return try geoJSON(path: path)
  }

  /// All bytes of a file.
  public static func bytes(path: String) throws -> [UInt8] {
    guard let file = fopen(path, "rb") else {
      throw Unreadable(path: path, reason: String(cString: strerror(errno)))
    }
    defer { fclose(file) }
    var out: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      if count == 0 { return out }
      out += chunk[..<count]
    }
  }

  /// The names in a directory, in order, without those of itself and its parent; none if it can't be read.
  public static func names(in path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names.filter { $0 != "." && $0 != ".." }.sorted()
  }

  /// Replaces a file by these bytes.
  public static func write(_ bytes: some Collection<UInt8>, path: String) throws {
    guard let file = fopen(path, "wb") else {
      throw Unreadable(path: path, reason: String(cString: strerror(errno)))
    }
    let array = Array(bytes)
    let written = fwrite(array, 1, array.count, file)
    guard fclose(file) == 0, written == array.count else {
      throw Unreadable(path: path, reason: String(cString: strerror(errno)))
    }
  }

  /// The features of a GeoJSON FeatureCollection of points that all have ids.
  public static func geoJSON(path: String) throws -> [TwinFeature] {
    try features(of: TestJSON(parsing: bytes(path: path)), from: path)
  }

  /// The features of a GeoJSON FeatureCollection of points that all have ids; `source` names it in
  /// errors.
  public static func features(of document: TestJSON, from source: String) throws -> [TwinFeature] {
    try (document["features"]?.array ?? []).map { feature in
      guard let position = feature["geometry"]?["coordinates"],
        let longitude = position[0]?.double, let latitude = position[1]?.double,
        let id = feature["id"]
      else { throw Unreadable(path: source, reason: "not a point with an id: \(feature.text)") }
      let featureID =
        if let text = id.string {
          try FeatureID(text: text.utf8)
        } else {
          try FeatureID(number: id.double ?? .nan)
        }
      let properties = feature["properties"]
      return TwinFeature(
        id: featureID, coordinate: Coordinate(latitude: latitude, longitude: longitude),
        properties: properties?.isNull == false ? properties?.text : nil)
    }
  }

  /// The features of a CSV file with the columns id, longitude and latitude; every other column is
  /// a property: a number if it reads as a JSON number, absent if it is empty.
  public static func csv(path: String) throws -> [TwinFeature] {
    var records = csvRecords(try bytes(path: path))
    guard !records.isEmpty else { throw Unreadable(path: path, reason: "empty") }
    let header = records.removeFirst()
    guard let id = header.firstIndex(of: "id"), let longitude = header.firstIndex(of: "longitude"),
      let latitude = header.firstIndex(of: "latitude")
    else { throw Unreadable(path: path, reason: "no id, longitude and latitude") }
    return try records.map { record in
      guard record.count == header.count, let x = Double(record[longitude]),
        let y = Double(record[latitude])
      else { throw Unreadable(path: path, reason: "a bad line: \(record)") }
      let properties = zip(header.indices, record).filter { index, text in
        ![id, longitude, latitude].contains(index) && !text.isEmpty
      }.map { index, text in TestJSON.Member(header[index], csvValue(text)) }
      return TwinFeature(
        id: try FeatureID(bareText: record[id].utf8),
        coordinate: Coordinate(latitude: y, longitude: x),
        properties: TestJSON.object(properties).text)
    }
  }

  private static func csvValue(_ text: String) -> TestJSON {
    if let first = text.utf8.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first),
      let last = text.utf8.last, (0x30...0x39).contains(last),
      case .number(let number)? = try? TestJSON(parsing: text)
    {
      return .number(number)
    }
    return .string(text)
  }

  /// The records of CSV text: commas, quotes, a byte-order mark, LF or CRLF.
  public static func csvRecords(_ bytes: [UInt8]) -> [[String]] {
    var records: [[String]] = []
    var record: [String] = []
    var field: [UInt8] = []
    var isQuoted = false
    var rest = bytes[...]
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    func endField() {
      record.append(String(decoding: field, as: UTF8.self))
      field = []
    }
    func endRecord() {
      if field.last == UInt8(ascii: "\r") { field.removeLast() }
      endField()
      if record != [""] { records.append(record) }
      record = []
    }
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\"") where isQuoted && rest.first == UInt8(ascii: "\""):
        field.append(byte)
        rest.removeFirst()
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: ",") where !isQuoted: endField()
      case UInt8(ascii: "\n") where !isQuoted: endRecord()
      default: field.append(byte)
      }
    }
    endRecord()
    return records
  }
}
