import ClusterCore
import TestSupport
import Testing

@testable import ClusterAPI

/// Answers are bounded in bytes, too, and lists in requests in their elements.
@Suite(.timeLimit(.minutes(10))) struct LongAnswerTests {
  private static let text = String(repeating: "x", count: 1_000_000)

  /// Stores features of a megabyte.
  private static func store(_ count: Int, in service: Service) async {
    let properties = "{\"text\":\"\(text)\"}"
    for number in 0..<count {
      let feature = TwinFeature(number, Double(number), 0, properties)
      let answer = await service.send(
        .put, "/collections/c/items/\(number)", feature.geoJSON, type: "application/geo+json")
      #expect(answer.status == 201)
    }
  }

  @Test func `a page ends at eight mebibytes, and the next one goes on`() async throws {
    let service = try Service()
    await LongAnswerTests.store(10, in: service)
    for path in ["/collections/c/items", "/collections/c/clusters/g1_60_0_0/items"] {
      var (target, counts): (String?, [Int]) = ("\(path)?limit=1000", [])
      while let page = target, counts.count < 5 {
        let answer = await service.get(page)
        let isShort = answer.response.body.count <= AnswerLimit.page + 4096
        #expect(answer.status == 200 && isShort)
        let head = String(decoding: answer.response.body.prefix(1000), as: UTF8.self)
        counts.append(
          head.firstMatch(of: /"numberReturned":(\d+)/).flatMap { Int($0.1) } ?? 0)
        let next = head.firstMatch(of: /"href":"([^"]*)","rel":"next"/)
        target = next.map { String($0.1) }
      }
      #expect(counts == [8, 2])
    }
  }

  @Test func `a page of few properties ends by what is read for it`() async throws {
    let service = try Service()
    await LongAnswerTests.store(70, in: service)
    let none = await service.get("/collections/c/items?properties=none")
    #expect(none.ids.count == 70 && none.next == nil)
    let few = await service.get("/collections/c/items?properties=n")
    #expect(few.ids.count == 67 && few.next != nil)
    let all = await service.get("/collections/c/items?properties=n,text")
    #expect(all.ids.count == 8 && all.next != nil)
    let table = await service.get("/collections/c/items?f=csv")
    #expect(TestTable(table.response.body)?.rows.count == 8)
  }

  @Test func `what has no pages is refused above its limit`() async throws {
    let service = try Service()
    await LongAnswerTests.store(34, in: service)
    for path in [
      "/collections/c/pins?bbox=-1,-1,40,1", "/collections/c/clusters/g1_60_0_0?members=100",
    ] {
      (await service.get(path)).expectProblem(422, at: "properties")
      #expect(await service.get("\(path)&properties=none").status == 200)
    }
  }

  @Test func `lists have a limit`() async throws {
    let service = try await Service([TwinFeature(1, 1, 2)])
    func list(_ element: String, _ count: Int) -> String {
      "[\(Array(repeating: element, count: count).joined(separator: ","))]"
    }
    for (field, element, most) in [
      ("properties", "\"a\"", 1000), ("fields", "\"id\"", 1000), ("keepApart", "1", 100),
    ] {
      for (count, status) in [(most, 200), (most + 1, 422), (20_000, 422)] {
        let body = "{\"bbox\":[0,0,3,3],\"zoom\":3,\"\(field)\":\(list(element, count))}"
        let answer = await service.post("/collections/c/clusters", body)
        #expect(answer.status == status, "\(field) \(count): \(answer.text.prefix(200))")
      }
    }
    for (field, others) in [("bbox", ""), ("markerSize", "\"bbox\":[0,0,3,3],")] {
      let body = "{\(others)\"zoom\":3,\"\(field)\":\(list("1", 10_001)),\"method\":\"collision\"}"
      (await service.post("/collections/c/clusters", body)).expectProblem(422, at: "/\(field)")
    }
  }
}
