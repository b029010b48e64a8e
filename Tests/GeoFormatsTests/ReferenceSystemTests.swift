import GeoFormats
import Testing

/// What GeoJSON says of its reference system, in each form and place.
@Suite(.timeLimit(.minutes(5))) struct ReferenceSystemTests {
  private static func forms(_ code: String) -> [String] {
    [
      #"{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::\#(code)"}}"#,
      #"{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG:6.9:\#(code)"}}"#,
      #"{"type":"name","properties":{"name":"epsg:\#(code)"}}"#,
      #"{"type":"name","properties":{"name":"http://www.opengis.net/def/crs/EPSG/0/\#(code)"}}"#,
      #"{"type":"name","properties":{"name":"http://www.opengis.net/gml/srs/epsg.xml#\#(code)"}}"#,
      #"{"type":"EPSG","properties":{"code":\#(code)}}"#,
      #"{"type":"EPSG","properties":{"code":"\#(code)"}}"#,
      #"{"properties":{"href":"http://spatialreference.org/ref/epsg/\#(code)/proj4/","type":"proj4"},"type":"link"}"#,
      #"{"type":"OGC","properties":{"urn":"urn:ogc:def:crs:EPSG::\#(code)"}}"#,
      #"{"type":"url","properties":{"url":"https://epsg.io/\#(code)"}}"#,
      #""EPSG:\#(code)""#, #""[EPSG:\#(code)]""#, code,
      #"{"type":"Reference","href":"http://www.opengis.net/def/crs/EPSG/0/\#(code)"}"#,
      #"["http://www.opengis.net/def/crs/EPSG/0/\#(code)","http://www.opengis.net/def/crs/EPSG/0/5773"]"#,
      #""urn:ogc:def:crs,crs:EPSG::\#(code),crs:EPSG::5773""#,
      #"{"type":"GeographicCRS","id":{"authority":"EPSG","code":\#(code)}}"#,
    ]
  }

  /// A Feature in a line, with a member in each place that may have it; and a collection before and behind its
  /// features.
  private static func places(_ name: String, _ system: String) -> [(String, FeatureFormat, String)]
  {
    let member = "\"\(name)\":\(system)"
    let point = #""type":"Point","coordinates":[10,20]"#
    let plain = #"{"type":"Feature","geometry":{\#(point)}}"#
    func within(_ feature: String) -> [(String, FeatureFormat, String)] {
      [
        (feature, .geoJSONSequence, "/lines/1"), (feature, .geoJSON, ""),
        (collection(feature), .geoJSON, "/features/0"),
      ]
    }
    return [
      (#"{"type":"FeatureCollection",\#(member),"features":[\#(plain)]}"#, .geoJSON, ""),
      (#"{"type":"FeatureCollection","features":[\#(plain)],\#(member)}"#, .geoJSON, ""),
    ] + within(#"{"type":"Feature",\#(member),"geometry":{\#(point)}}"#)
      + within(#"{"type":"Feature","geometry":{\#(point)},\#(member)}"#)
      + within(#"{"type":"Feature","geometry":{\#(member),\#(point)}}"#)
      + within(
        #"{"type":"Feature","geometry":{"type":"GeometryCollection","geometries":[{\#(point),\#(member)}]}}"#
      )
  }

  private func check(_ system: String, _ test: (Outcome, String) -> Void) {
    for name in ["crs", "coordRefSys"] {
      for (document, format, pointer) in Self.places(name, system) {
        test(read(document, format), pointer)
      }
    }
  }

  @Test func `WGS 84 is silent`() {
    let names = [
      "urn:ogc:def:crs:OGC:1.3:CRS84", "urn:ogc:def:crs:OGC::CRS84", "OGC:CRS84", "CRS:84", "CRS84",
      "CRS84h",
      "http://www.opengis.net/def/crs/OGC/1.3/CRS84", "http://www.opengis.net/def/crs/OGC/0/CRS84h",
      "WGS84",
      "WGS 84", "WGS 1984", "GCS_WGS_1984", "EPSG:4979", "+proj=longlat +datum=WGS84 +no_defs",
    ].map { #"{"type":"name","properties":{"name":"\#($0)"}}"# }
    for system in Self.forms("4326") + names + ["null"] {
      check(system) { outcome, _ in
        #expect(outcome.error == nil && outcome.features.count == 1, "\(system) \(outcome)")
        #expect(outcome.notes == [] && outcome.rejected == 0, "\(system)")
      }
    }
  }

  @Test func `what differs by a metre is taken with a note`() {
    for (code, name) in [("4258", "ETRS89"), ("4269", "NAD83")] {
      for system in Self.forms(code) + ["\"\(name)\""] {
        check(system) { outcome, _ in
          #expect(outcome.error == nil && outcome.features.count == 1, "\(system) \(outcome)")
          #expect(
            outcome.notes.count == 1 && outcome.notes.first?.contains(name) == true, "\(system)")
        }
      }
    }
  }

  @Test func `anything else is an error that names it`() {
    let named = [
      "WGS 84 / UTM zone 33N", "ETRS89 / UTM zone 32N", "NAD83 / California zone 1", "ESRI:102100",
      "WGS 84 / Pseudo-Mercator", "DHDN", "GDA2020", "EPSG:25832 (CRS84)",
      "urn:ogc:def:crs,crs:EPSG::25832,crs:EPSG::4979",
    ].map { (#"{"type":"name","properties":{"name":"\#($0)"}}"#, $0) }
    let odd = ["{}", #"{"type":"name"}"#, "[]", "true", #"{"type":"link","properties":{}}"#].map {
      ($0, $0)
    }
    let link = (#"{"type":"link","properties":{"href":"data.crs","type":"ogcwkt"}}"#, "data.crs")
    let codes = ["3857", "25832", "900913"].flatMap { code in Self.forms(code).map { ($0, code) } }
    for (system, found) in codes + named + odd + [link] {
      check(system) { outcome, pointer in
        let detail: String
        if case .notFeatures(let place, let text)? = outcome.error {
          #expect(pointer == "" && ["/crs", "/coordRefSys"].contains(place))
          detail = text
        } else {
          #expect(
            outcome.problems.map(\.pointer) == [pointer] && outcome.features.isEmpty, "\(system)")
          detail = outcome.problems.first?.detail ?? ""
          #expect(detail.hasPrefix("/"), "\(detail)")
        }
        #expect(detail.contains(found) && detail.contains("ogr2ogr -t_srs EPSG:4326"), "\(detail)")
        #expect(outcome.notes == [])
      }
    }
  }

  @Test func `properties may have such names`() {
    let outcome = read(feature(properties: #"{"crs":"EUS","coordRefSys":3857}"#), .geoJSON)
    #expect(outcome.features.count == 1 && outcome.rejected == 0)
  }
}
