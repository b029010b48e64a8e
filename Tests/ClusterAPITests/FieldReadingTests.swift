import HTTPServer
import TestSupport
import Testing

@testable import ClusterAPI

/// Numbers and names in queries, read by bytes, against their reading by way of text.
@Suite(.timeLimit(.minutes(10))) struct FieldReadingTests {
  /// A number as the API describes it; nil for what is none.
  private func number(_ text: String) -> Double? {
    let trimmed = text.drop { $0 == " " }
    guard trimmed.allSatisfy({ "0123456789+-.eE".contains($0) }), let number = Double(trimmed)
    else {
      return nil
    }
    return number.isFinite ? number : nil
  }

  @Test func `numbers are read as the nearest doubles`() throws {
    var generator = SeededGenerator(seed: 21)
    for _ in 0..<20_000 {
      let alphabet = generator.chance(0.8) ? "0123456789" : "0123456789.-eE,x"
      var texts: [String] = []
      for _ in 0..<generator.int(1...4) {
        func digits(_ most: Int) -> String {
          String((0..<generator.int(0...most)).map { _ in generator.pick(Array(alphabet)) })
        }
        let point = generator.chance(0.8) ? "." : ""
        texts.append((generator.chance(0.3) ? "-" : "") + digits(12) + point + digits(12))
      }
      let list = texts.joined(separator: ",")
      let isEscaped = generator.chance(0.2)
      let query = "n=" + (isEscaped ? list.replacing(",", with: "%2C") : list)
      let fields = try Fields(query: query, allowed: ["n"])
      let parts = list.isEmpty ? [] : list.split(separator: ",", omittingEmptySubsequences: false)
      let wanted = parts.map { number(String($0)) }
      let got = try? fields.numbers("n")
      #expect(got == (wanted.contains(nil) ? nil : wanted.compactMap(\.self)), "\(query)")
      if parts.count == 1 {
        let one = try? fields.number("n")
        #expect(one?.bitPattern == wanted[0]?.bitPattern, "\(query)")
      }
    }
    for (text, wanted) in [
      ("+1.5", 1.5), ("%2B1e1", 10), ("-0", -0.0), ("00012", 12), ("1e-2", 0.01),
    ] {
      let got = try Fields(query: "n=\(text)", allowed: ["n"]).number("n")
      #expect(got?.bitPattern == wanted.bitPattern, "\(text)")
    }
  }

  @Test func `names and values are told apart`() throws {
    let allowed = ["a", "ab", "b", "äö", "a=b"]
    let fields = try Fields(
      query: "&a=1&&ab=x=y&%C3%A4%C3%B6=+%2B%26&b&a%3Db=%3D", allowed: allowed)
    #expect(try fields.string("a") == "1" && fields.string("ab") == "x=y")
    #expect(try fields.string("äö") == " +&" && fields.string("b") == "")
    #expect(try fields.string("a=b") == "=")
    #expect(try fields.string("ba") == nil)
    for query in ["a=1&a=2", "a&%61", "c=1", "%=1", "=1", "a%3=1", "%FF=1"] {
      #expect(throws: Problem.self, "\(query)") { try Fields(query: query, allowed: allowed) }
    }
    for value in ["%", "%4", "%zz", "%FF"] {
      let fields = try Fields(query: "a=\(value)", allowed: allowed)
      #expect(throws: Problem.self, "\(value)") { try fields.string("a") }
      #expect(throws: Problem.self, "\(value)") { try fields.numbers("a") }
    }
  }

  @Test(arguments: [
    ("/collections/c/clusters", "c"), ("/collections/a-_9/clusters", "a-_9"),
    ("/collections/%63/clusters", "c"), ("/collections/a%2Fb/clusters", "a/b"),
    ("/collections/é/clusters", "é"), ("/collections/clusters/clusters", "clusters"),
    ("/collections/c/%63lusters", "c"), ("/collections//clusters", nil),
    ("/collections/clusters", nil), ("/collections/a/b/clusters", nil),
    ("/Collections/c/clusters", nil),
    ("/collections/c/clusters/", "c"), ("x/collections/c/clusters", nil),
    ("collections/c/clusters", nil), ("", nil), ("%2Fcollections/c/clusters", nil),
    ("/collections/%2F/clusters", "/"), ("/collections/c/clusters%2F", nil),
    ("/collections/c%2Fclusters", nil), ("/collections/c/clusters//", nil),
    ("/collections/%/clusters", nil), ("/1/2/3/4/5/6/7/8", nil), ("/1/2/3/4/5/6/7/8/9", nil),
    ("/1/2/3/4/5/6/7/%38/9/10", nil),
  ])
  func `the path of clusters`(path: String, collection: String?) {
    var found: String?
    if let (route, parameters) = try? Route.find(path),
      route.path == "/collections/{collectionId}/clusters"
    {
      found = parameters.collection
    }
    #expect(found == collection)
  }

  /// Broken escapes are told apart from paths that nothing is at, however long they are.
  @Test(arguments: [
    ("/", nil), ("//", 404), ("", 404), ("%", 400), ("/%", 400), ("/%zz", 400), ("/a%FFb", 400),
    ("/1/2/3/4/5/6/7/8/9", 404), ("/1/2/3/4/5/6/7/8/9/%", 400), ("/%31/2/3/4/5/6/7/8/9", 404),
    ("*", nil), ("**", 404), ("/%6dap", nil), ("/map/", nil), ("/map//", 404),
    ("/collections/c/tiles/1/2/3", nil), ("/collections/c/tiles/1//3", 404),
    ("/collections/c/tiles/WebMercatorQuad/1/2/3/", nil),
  ])
  func `paths that nothing is at`(path: String, status: Int?) {
    var found: Int?
    do { _ = try Route.find(path) } catch { found = error.status }
    #expect(found == status)
  }

  @Test func `the tag of a POST goes by its body, and by the version`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    let bodies = [
      #"{"bbox":[0,0,9,9],"zoom":3}"#, #"{"bbox":[0,0,9,9],"zoom":4}"#,
      #"{"bbox":[0,0,9,8],"zoom":3}"#,
    ]
    func tags(_ target: String) async throws -> [String] {
      var tags: [String] = []
      for body in bodies {
        let tag = try #require(await service.post(target, body).response.etag)
        #expect(tag == (await service.post(target, body)).response.etag)
        tags.append(tag)
      }
      return tags
    }
    let path = "/collections/c/clusters"
    var all = Set(try await tags(path) + tags("\(path)?f=geojson"))
    #expect(all.count == 6)
    await service.store([TwinFeature(2, 2, 3)])
    all.formUnion(try await tags(path))
    let get = await service.get("\(path)?bbox=0,0,9,9&zoom=3")
    all.insert(try #require(get.response.etag))
    #expect(all.count == 10)
  }
}
