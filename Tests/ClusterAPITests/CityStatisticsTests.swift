import ClusterCore
import TestSupport
import Testing

/// Sections 7 and 8 on real places, against totals that the tests work out for themselves.
@Suite(.timeLimit(.minutes(10))) struct CityStatisticsTests {
  /// A city as a line of the file has it.
  private struct City: Sendable {
    let feature: TwinFeature
    let country: String
    let population: Int
  }

  private static let world = #""bbox":[-180,-90,180,90],"zoom":2"#

  /// One test, because storing the cities is most of the work.
  @Test func `what is said of the real cities adds up`() async throws {
    let (service, cities) = try await stored()
    await expectCountries(of: cities, service)
    try await expectOneCell(of: cities, service)
    await expectFilters(over: cities, service)
    try await expectNobodyLost(of: cities, service)
  }

  private func stored() async throws -> (service: Service, cities: [City]) {
    let features = try #require(try Fixtures.cities())
    let service = try Service()
    for start in stride(from: 0, to: features.count, by: 10_000) {
      let part = features[start..<min(start + 10_000, features.count)]
      await service.store(Array(part))
    }
    let cities = features.map { feature in
      let properties = (try? TestJSON(parsing: feature.properties ?? "{}")) ?? .null
      return City(
        feature: feature, country: properties["country"]?.string ?? "null",
        population: properties["population"]?.int ?? 0)
    }
    return (service, cities)
  }

  private func post(_ more: String, to service: Service) async -> Answer {
    let body = "{\(Self.world),\(more)}"
    let answer = await service.post("/collections/c/clusters", body)
    #expect(answer.status == 200, "\(more): \(answer.text.prefix(300))")
    return answer
  }

  /// Countries and their people add up.
  private func expectCountries(of cities: [City], _ service: Service) async {
    let byCountry = Dictionary(grouping: cities, by: \.country)
    let fields =
      #""aggregate":{"people":["sum","population"],"largest":["max","population"],"least":["min","population"]},"#
      + #""weightBy":"population","countBy":"country","properties":"none""#
    let people = cities.reduce(0) { $0 + $1.population }
    let plain = await post(fields, to: service)
    let grouped = await post(fields + #","groupBy":"country""#, to: service)
    for answer in [plain, grouped] {
      let all = answer.annotations
      #expect(answer["featureCount"]?.int == cities.count)
      #expect(all.reduce(0) { $0 + $1.count } == cities.count)
      func sum(_ value: (TestJSON) -> Double?) -> Int { all.reduce(0) { $0 + Int(value($1) ?? 0) } }
      #expect(sum { $0["aggregates"]?["people"]?.double } == people)
      #expect(sum { $0["weight"]?.double } == people)
      #expect(
        all.compactMap { $0["aggregates"]?["largest"]?.double }.max()
          == cities.map { Double($0.population) }.max())
      #expect(
        all.compactMap { $0["aggregates"]?["least"]?.double }.min()
          == cities.map { Double($0.population) }.min())
    }
    var totals: [String: (count: Int, people: Int)] = [:]
    for one in grouped.annotations {
      let group = one["group"]?.string ?? "null"
      totals[group, default: (0, 0)].count += one.count
      totals[group, default: (0, 0)].people += Int(one["aggregates"]?["people"]?.double ?? -1)
      #expect(one["counts"] == .object([.init(group, .number(String(one.count)))]))
    }
    #expect(Set(totals.keys) == Set(byCountry.keys))
    for (country, own) in byCountry {
      #expect(totals[country]?.count == own.count, "\(country)")
      #expect(totals[country]?.people == own.reduce(0) { $0 + $1.population }, "\(country)")
    }
  }

  /// One cell holds the whole world's statistics.
  private func expectOneCell(of cities: [City], _ service: Service) async throws {
    let body =
      #"{"bbox":[-180,-90,180,90],"zoom":0,"cellSize":256,"countBy":"country","aggregate":"#
      + #"{"people":["sum","population"],"mean":["mean","population"]},"weightBy":"population"}"#
    let answer = await service.post("/collections/c/clusters", body)
    let one = try #require(answer.annotations.first)
    #expect(answer.annotations.count == 1 && one.count == cities.count)
    let people = cities.reduce(0) { $0 + $1.population }
    #expect(one["aggregates"]?["people"]?.double == Double(people))
    let mean = Double(people) / Double(cities.count)
    #expect(abs((one["aggregates"]?["mean"]?.double ?? 0) - mean) <= mean * 1e-14)
    let sorted = Dictionary(grouping: cities, by: \.country).map { ($0, $1.count) }
      .sorted { $0.1 != $1.1 ? $0.1 > $1.1 : TwinKey($0.0) < TwinKey($1.0) }
    let counts = one["counts"]?.members ?? []
    #expect(counts.map(\.key) == sorted.prefix(100).map(\.0))
    #expect(counts.compactMap(\.value.int) == sorted.prefix(100).map(\.1))
    #expect(one["otherCount"]?.int == sorted.dropFirst(100).reduce(0) { $0 + $1.1 })
    var (latitude, longitude) = (0.0, 0.0)
    for city in cities {
      let share = Double(city.population) / Double(people)
      latitude += city.feature.coordinate.latitude * share
      longitude += city.feature.coordinate.longitude * share
    }
    let centre = Coordinate(latitude: latitude, longitude: longitude)
    #expect(one.isCoordinate(of: centre, within: 1e-7), "\(one.text.prefix(200)), not \(centre)")
  }

  /// Filters let through what they say.
  private func expectFilters(over cities: [City], _ service: Service) async {
    let filters: [(String, (City) -> Bool)] = [
      ("country = 'DE'", { $0.country == "DE" }),
      ("population >= 1000000", { $0.population >= 1_000_000 }),
      (
        "country IN ('DE','FR') AND population BETWEEN 100000 AND 200000",
        { ["DE", "FR"].contains($0.country) && (100_000...200_000).contains($0.population) }
      ),
      (
        "NOT (country = 'US' OR population < 20000)",
        { $0.country != "US" && $0.population >= 20_000 }
      ),
      (
        "timezone LIKE 'Europe/%' AND country <> 'DE'",
        { city in
          city.country != "DE"
            && city.feature.property("timezone")?.string?.hasPrefix("Europe/") == true
        }
      ),
      ("absent = 1 OR country IS NULL", { _ in false }),
    ]
    for (filter, holds) in filters {
      let passing = cities.filter(holds)
      #expect(passing.isEmpty == filter.hasPrefix("absent"))
      let more =
        #""groupBy":"country","aggregate":{"p":["sum","population"]},"filter":"\#(filter)""#
      let answer = await post(more, to: service)
      #expect(answer["featureCount"]?.int == passing.count, "\(filter)")
      #expect(answer.annotations.reduce(0) { $0 + $1.count } == passing.count, "\(filter)")
      let people = answer.annotations.reduce(0) {
        $0 + Int($1["aggregates"]?["p"]?.double ?? -1)
      }
      #expect(people == passing.reduce(0) { $0 + $1.population }, "\(filter)")
      let query = TwinRequest.percentEncoded(filter)
      let items = await service.get("/collections/c/items?limit=3&filter=\(query)")
      #expect(items["numberMatched"]?.int == passing.count, "\(filter)")
      let order = Twin.indexOrder(passing.map(\.feature))
      #expect(items.ids == order.prefix(3).map(\.idJSON.text), "\(filter)")
    }
  }

  /// Distance and collision about Berlin lose nobody.
  private func expectNobodyLost(of cities: [City], _ service: Service) async throws {
    let twin = Twin(cities.map(\.feature))
    for method in [TwinRequest.Method.distance, .collision] {
      var request = TwinRequest(.bbox(west: 10, south: 51, east: 16, north: 54), .zoom(6))
      (request.method, request.clusterBy) = (method, "country")
      (request.priorityBy, request.marginFactor) = ("population", 0)
      request.countBy = "country"
      let answer = await service.post("/collections/c/clusters", request.json.text)
      let wanted = try twin.cluster(request)
      #expect(wanted.featureCount > 100)
      #expect(wanted.differences(from: answer.json) == [])
    }
  }

  @Test(
    .enabled(
      if: Fixtures.path(named: "berlin-stones.geojson") != nil,
      "PINCLUSTER_TEST_DATA names no folder with berlin-stones.geojson"))
  func `what is said of Berlin's stones is what the twin says`() async throws {
    let stones = try #require(try Fixtures.berlinStones())
    let (service, twin) = (try Service(), Twin(stones, parsing: true))
    await service.store(stones)
    for method in TwinRequest.Method.allCases {
      var request = TwinRequest(
        .bbox(west: 13.3, south: 52.45, east: 13.34, north: 52.5), .zoom(13))
      (request.method, request.marginFactor) = (method, 0)
      (request.groupBy, request.countBy) = ("district", "street")
      if method == .collision { request.clusterBy = "street" }
      let answer = await service.post("/collections/c/clusters", request.json.text)
      let wanted = try twin.cluster(request)
      #expect(wanted.featureCount > 100)
      #expect(wanted.differences(from: answer.json) == [], "\(method)")
    }
  }
}
