import GeoFormats
import TestSupport
import Testing

/// The outcome of reading a stream, including errors and their offsets, does not depend on its chunks.
@Suite(.timeLimit(.minutes(5))) struct ChunkingTests {
  static let geoJSON: [String] = [
    " {\"features\" : [ " + feature(properties: #"{ "a\"]}" : "{[\\", "é😀":[ 1 , {} ] }"#)
      + " , " + feature("[181,2]") + " ] , \"type\":\"FeatureCollection\", \"x\":\"features\" } ",
    "\u{FEFF}" + collection(feature(id: "\"17\""), feature(), "null", "1", "\"a]\\\"\"", "[[]]"),
    #"{"a":{"features":[1,2]},"b":"\"features\":[","\u0066eatures":["# + feature()
      + #"],"type":"FeatureCollection"}"#,
    feature("[ 1 , 2 , 3 ]", properties: "null", id: "1.0"),
    collection(
      feature(), "{\"a\":tru}", feature(properties: "{\"x\":1E400}"), "NaN", "[\"\u{1}\",]"),
    #"{"features":["# + feature() + #"],"crs":"EPSG:4258","type":"FeatureCollection"}"#,
    #"{"type":"Feature","geometry":{"type":"MultiPoint","coordinates":[[1,2,3]]}}"#,
    collection(), collection(feature(), "{\"a\" tru}"), collection(feature(), "{]"), "[1,2]", "",
    #"{"type":"FeatureCollection","features":[,]}"#,
    #"{"type":"FeatureCollection","features":[1 2]}"#,
    #"{"type":"FeatureCollection","features":[1,]}"#,
    #"{"type":"FeatureCollection","features":[1]"#,
    #"{"type":"FeatureCollection","features":[1"#,
    #"{"type":"FeatureCollection","features":[1]} x"#,
    #"{"type":"FeatureCollection","features":[],"features":[]}"#, #"{"features":{}}"#,
    #"{"type":"FeatureCollection","features":[],"a":tru}"#, "\u{FEFF}\u{FEFF}{}",
    #"{"type":"Feature","features":[]}"#, #"{"type":"FeatureCollection","features":null}"#,
    " [ {\"id\":\"a]\",\"lat\" : 1,\"lng\":\"2\"} , {\"lat\":[],\"lng\":3},{\"lng\":1E400},7 ] ",
    "\u{FEFF}[" + feature() + ",{\"lat\":1,\"lng\":2}]", #"[{"p":{"lat":1,"lon":2},"q":[1, 2]}]"#,
    "[]", "[{}]", "[tru,{\"x\":1,\"y\":2}]", "[{\"x\":1,\"y\":2}] []", "[{\"x\":1,\"y\":2},]",
    "[null",
    "{}[{\"x\":1,\"y\":2}]", "[[{\"x\":1,\"y\":2}]]",
    " {\"v\":1,\"d\":{\"s\": [ {\"lat\":1,\"lng\":2} , {\"lat\":[]},7 ] },\"w\":\"]\"} ",
    #"{"A":{"lat":1,"lon":2},"B\u00e9":{"lat":3,"lon" :4} , "C\"}":{"lat":5},"D":[]} "#,
    #"{"a":[{"lat":1,"lng":2}],"features":[]}"#, #"{"a":[{"lat":1,"lng":2}],"b":tru}"#,
    #"{"A":{"lat":1,"lon":2},"B":{"lat":3,"lon":4},5:{}}"#,
    #"{"A":{"lat":1,"lon":2},"B":{"lat":3,"lon":4},}"#,
    #"{"A":{"lat":1,"lon":2},"B":{"lat":3,"lon":4} "C":1}"#,
    #"{"id":"a","lat":1,"lng":2,"tags":["x"]}"#,
    #"{"a":[{"lat":1,"lng":2}],"b":[{"lat":1,"lng":2}]}"#,
    #"{"d":{"EDDB":{"p":{"q":{"lat":1,"lon":2,"n":[1]}}}},"e":null}"#,
    #"{"d":{"crs":"EPSG:4258","features":["# + feature() + "]}}",
    #"[{"n":1},{"a":{"b":{"location":{"type":"Point","coordinates":[1,2,3],"c":[4]}}}},null]"#,
    " {\"lat\":1,\"lon\":2}\r\n\n{\"lat\":\"3,5\",\"lon\":4} \n" + feature() + "\n{]",
    "\u{1E}" + feature() + "\n\u{1E}" + feature("[1,\n2]"), "[ ]", #"{"a":{"b":[ ] } }"#,
  ]
  static let sequences: [String] = [
    "\u{FEFF}" + feature() + "\r\n\n \t\n\u{1E}" + feature("[181,1]") + "\nnot json\n" + feature(),
    "\u{1E}" + feature("[1,\n2]") + "\n\u{1E}\n\n{\n\u{1E}" + feature("[1,\n200]") + "\n", "",
    "\u{FEFF}\u{1E}" + feature() + "\u{1E}\u{1E}", "\u{FEFF}", "\n\n", feature() + feature(),
    "\n" + feature(), "\u{1E}", "\u{FEFE}",
    "x\n{\"lat\":1,\"lon\":2,\"n\":[ 1 ]}\n{\"lon\":1}\n" + feature(),
    feature() + "\n{\"lat\":1,\"lon\":2}",
  ]
  static let tables: [String] = [
    "\u{FEFF}\"name\",LON , lat,id\r\n\"a,\"\"b\"\"\r\nc\",1.5,+2,7\r\n\r\nx,1,.5,007\n\"\",1,2,\r",
    "x,y\r1,2\r3,4", "lon,lat\n1\n1,2,3\n\"1\"x,2\n1,\"2", "lon,lat,q\n1,2,a\"b\n1,2,\"\"\"\"\n",
    "", "\n\n", "a,b\n1,2", "lon,lat,lon\n", "\"lon\n", "lon,lat\n200,1\n1,200\n100,-100\n\n1,2\n",
    "lon,lat,a\n1,2,1e999\n1,2,1e9\n1,2,-\n1,2,-0.50\n", "\u{FEFE}lon,lat\n1,2", "\u{FEFF}",
    "\"lon\"\"\",x,y\n1,2,3\n", "lon,lat\n\"1\",\"2\"\r\n\n\"3\n\",4\n5,x\n",
  ]

  private func check(_ documents: [String], _ format: FeatureFormat) {
    var random = SeededGenerator(seed: 3)
    for document in documents {
      let bytes = Array(document.utf8)
      let whole = read(bytes, format)
      for cut in 0...bytes.count {
        #expect(read(bytes, format, cuts: [cut]) == whole, "\(document) cut at \(cut)")
      }
      #expect(read(bytes, format, cuts: Array(bytes.indices)) == whole, "\(document) by bytes")
      for _ in 0..<20 {
        let cuts = (0..<5).map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted()
        #expect(read(bytes, format, cuts: cuts) == whole, "\(document) cut at \(cuts)")
      }
    }
  }

  @Test func geoJSON() { check(ChunkingTests.geoJSON, .geoJSON) }
  @Test func sequences() { check(ChunkingTests.sequences, .geoJSONSequence) }
  @Test func tables() { check(ChunkingTests.tables, .csv) }

  /// Corrupted and truncated documents never trap, and their outcomes do not depend on the chunks.
  @Test(arguments: [FeatureFormat.geoJSON, .geoJSONSequence, .csv])
  func mutations(_ format: FeatureFormat) {
    var random = SeededGenerator(seed: 4)
    let linesNote = "each line is read by itself"
    let documents =
      switch format {
      case .geoJSON: ChunkingTests.geoJSON
      case .geoJSONSequence: ChunkingTests.sequences
      case .csv: ChunkingTests.tables
      }
    let palette = Array("{}[]\",:\\\n\r 0-e.u\u{1E}".utf8) + [0x00, 0xFF, 0xC3, 0x80]
    for document in documents {
      for _ in 0..<150 {
        var bytes = Array(document.utf8)
        for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
          let index = Int.random(in: bytes.indices, using: &random)
          switch Int.random(in: 0..<5, using: &random) {
          case 0: bytes.removeSubrange(index...)
          case 1: bytes.remove(at: index)
          case 2: bytes[index] = UInt8.random(in: 0...255, using: &random)
          case 3: bytes.insert(palette.randomElement(using: &random) ?? 0, at: index)
          default: bytes[index] = palette.randomElement(using: &random) ?? 0
          }
        }
        let whole = read(bytes, format)
        let cuts = (0..<3).map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted()
        #expect(read(bytes, format, cuts: cuts) == whole, "\(text(bytes)) cut at \(cuts)")
        // Accepted documents are JSON, but for rejected features and lines that are.
        if format == .geoJSON, jsonError(bytes) != nil, !whole.notes.contains(linesNote) {
          #expect(whole.error != nil || whole.rejected > 0)
        }
        for feature in whole.features { #expect(jsonError(feature.properties) == nil) }
      }
    }
  }
}
