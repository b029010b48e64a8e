import TestSupport
import Testing

/// One annotation by its address.
@Suite(.timeLimit(.minutes(10))) struct AnnotationAddressTests {
  @Test(arguments: Seeds.each(206...206))
  func `each annotation's address leads to it, its items and its children`(seed: UInt64)
    async throws
  {
    var generator = SeededGenerator(seed: seed)
    let service = try Service()
    let features = TwinFeature.mixed(300, using: &generator)
    await service.store(features)
    let request = TwinRequest(.bbox(west: -180, south: -90, east: 180, north: 90), .zoom(3))
    let wanted = try Twin(features).cluster(request)
    let view = await service.post("/collections/c/clusters", request.json.text)
    for (one, twin) in zip(view["annotations"]?.array ?? [], wanted.annotations) {
      let path = "/collections/c/clusters/\(one["id"]?.string ?? "")"
      let answer = await service.get(path)
      for member in one.members ?? [] { #expect(answer[member.key] == member.value) }
      let zoom = Twin(features).expansionZoom(of: twin, request)
      #expect(answer["expansionZoom"]?.int == zoom && answer["expansionZoom"] != nil)
      #expect(answer["visibleMapRect"]?["width"]?.double ?? 0 >= 512)
      var (ids, target): ([String], String?) = ([], "\(path)/items?limit=40")
      while let page = target {
        let items = await service.get(page)
        #expect(items["numberMatched"]?.int == twin.count)
        ids += items.ids
        target = items.next
      }
      #expect(ids == twin.features.map(\.idJSON.text))
      let children = await service.get("\(path)/children")
      guard zoom != nil else {
        // No zoom tells them apart, so they are pins, spread where they share a coordinate.
        #expect(children["zoomLevel"]?.int == 24 && children["featureCount"]?.int == twin.count)
        let pins = children.annotations
        #expect(pins.count == twin.count && pins.allSatisfy { $0["count"]?.int == 1 })
        #expect(pins.allSatisfy { $0["contested"]?.int ?? 0 >= 1 })
        let asked = await service.get(
          "\(path)/children?childZoom=24&decluster=true&maxZoomLevelForClustering=0")
        #expect(asked.text == children.text)
        (await service.get("\(path)/children?childZoom=24")).expect(200)
        continue
      }
      let counts = (children["annotations"]?.array ?? []).compactMap { $0["count"]?.int }
      #expect(counts.count > 1 && counts.reduce(0, +) == twin.count)
      #expect(children["featureCount"]?.int == twin.count && children["gridRect"] == nil)
      (await service.get("\(path)/children?childZoom=25")).expectProblem(422, at: "childZoom")
      (await service.get("\(path)/children?childZoom=x")).expectProblem(400, at: "childZoom")
      (await service.get("\(path)?bbox=0,0,1,1")).expectProblem(400, at: "bbox")
    }
  }

  @Test func `children share no coordinate with others`() async throws {
    let service = try await Service([
      TwinFeature(1, 10, 50, "{\"k\":\"a\"}"), TwinFeature(2, 10, 50, "{\"k\":\"b\"}"),
    ])
    let own = await service.get("/collections/c/clusters/n1?decluster=true")
    #expect(own["contested"]?.int == 2)
    let children = await service.get("/collections/c/clusters/n1/children?decluster=true")
    #expect(children.annotations.count == 1 && children.annotations[0]["contested"]?.int == 1)
    #expect(children.annotations[0]["coordinate"]?["latitude"]?.double == 50)
    // Markers of one coordinate that are of two kinds don't become one.
    let view = "method=collision&clusterBy=k&zoom=3&bbox=0,40,20,60"
    let markers = await service.get("/collections/c/clusters?\(view)")
    for marker in markers.annotations {
      let id = marker["id"]?.string ?? ""
      let pins = await service.get("/collections/c/clusters/\(id)/children?\(view)")
      #expect(
        pins.annotations.count == 1 && pins.annotations[0]["contested"]?.int == 1, "\(pins.text)")
    }
  }
}
