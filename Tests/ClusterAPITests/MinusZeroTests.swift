import TestSupport
import Testing

/// Zeros in answers, which have no sign, and in properties, which stay as they came.
@Suite(.timeLimit(.minutes(1))) struct MinusZeroTests {
  private let path = "/collections/c"

  @Test func `no answer holds minus zero`() async throws {
    let service = try Service()
    let stored = await service.post(
      "\(path)/items",
      #"{"type":"FeatureCollection","features":["#
        + [
          #"1,"geometry":{"type":"Point","coordinates":[-0.0,51.5]}"#,
          #"2,"geometry":{"type":"Point","coordinates":[0,51.5]}"#,
          #"3,"geometry":{"type":"Point","coordinates":[-0,-0.0,-0.0]}"#,
          #"4,"geometry":{"type":"Point","coordinates":[-1e-9,-1e-9]}"#,
          #"5,"geometry":{"type":"Point","coordinates":[1e-9,1e-9]}"#,
          #"6,"geometry":{"type":"Point","coordinates":[-0.0,90]}"#,
        ].map { #"{"type":"Feature","properties":{"n":-1,"w":-0.0},"id":\#($0)}"# }
        .joined(separator: ",") + "]}")
    #expect(stored["inserted"]?.int == 6, "\(stored.text)")
    var texts: [String] = []
    let view = "bbox=-1,-1,1,89&minPoints=2&clusterer="
    let rest =
      "&hull=true&expansion=true&properties=none&aggregate=%7B%22a%22:%5B%22sum%22,%22w%22%5D%7D"
    for query in [
      "clusters?\(view)centerOfMass&zoom=1\(rest)",
      "clusters?\(view)cellCenter&zoom=0&cellSize=256\(rest)",
      "clusters?\(view)nearCenter&zoom=20&properties=none&bbox=-0.01,-0.01,0.01,0.01",
      "clusters?\(view)first&zoom=-0.0\(rest)&f=geojson",
      "clusters?\(view)first&zoom=3&wrap=true&properties=none",
      "clusters?\(view)first&zoom=24&maxZoomLevelForClustering=1&decluster=true&properties=none"
        + "&bbox=-0.00001,51.49999,0.00001,51.50001",
      "pins?bbox=-180,-90,180,90&properties=none",
      "pins?bbox=-180,-90,180,90&properties=none&pinLayout=spiral",
      "tiles/0/0/0.geojson?properties=none", "tiles.json?properties=none", "",
    ] {
      // Only the last of two rects counts here.
      let target = query.split(separator: "&").filter { !$0.isEmpty }
      let rects = target.filter { $0.contains("bbox=") }
      let kept = target.filter { rects.count < 2 || $0 != rects[0] && $0 != rects[1] }
      let parts = rects.count < 2 ? kept : ["clusters?" + rects[1]] + kept
      let answer = await service.get("\(path)/\(parts.joined(separator: "&"))")
      #expect(answer.status == 200, "\(query): \(answer.text)")
      texts.append(answer.text)
    }
    let located = await service.post(
      "\(path)/items/3/locate",
      #"{"latitudinalMeters":9,"longitudinalMeters":9,"viewportWidth":9,"viewportHeight":9,"properties":"none"}"#
    )
    texts.append(located.text)
    for text in texts { #expect(minusZeros(in: text) == [], "\(text)") }
    let item = await service.get("\(path)/items/3")
    #expect(item["geometry"]?["coordinates"]?.text == "[0,0,0]")
    // It is no number of the service's.
    #expect(item["properties"]?.text == #"{"n":-1,"w":-0.0}"#)
    let page = await service.get("\(path)/items/3?f=html")
    #expect(page.text.contains("<dd>0.0</dd>") && !page.text.contains("<dd>-0.0</dd>"))
  }

  /// The numbers in JSON that are minus zero.
  private func minusZeros(in text: String) -> [Substring] {
    text.matches(of: /-0(\.0*)?([eE][-+]?[0-9]+)?(?![.0-9])/).map(\.0)
  }

  @Test func `minus zeros are found`() {
    #expect(minusZeros(in: "[-0,-0.0,-0.00e5,-0.1,-1e-07,0,-10,1e-0]").count == 4)
  }
}
