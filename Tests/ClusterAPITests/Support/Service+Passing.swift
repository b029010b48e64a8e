import TestSupport
import Testing

extension Service {
  /// Expects of a filter that views and lists of the collection `c` are those of a collection which holds only what passes.
  ///
  /// - Parameters:
  ///   - json: the same filter in JSON, if views are to be the same with it.
  ///   - passing: what passes; it is stored in `only`.
  ///   - views: the members of viewport requests.
  ///   - list: the query of a list.
  func expect(
    _ filter: String, json: String?, gives passing: [TwinFeature], in only: String,
    views: [String], list: String, location: SourceLocation = #_sourceLocation
  ) async {
    #expect(await send(.put, "/collections/\(only)").status == 201, sourceLocation: location)
    await store(passing, in: only)
    let text = TestJSON.string(filter).text
    for view in views {
      let wanted = await post("/collections/\(only)/clusters", "{\(view)}")
      let answer = await post("/collections/c/clusters", "{\(view),\"filter\":\(text)}")
      #expect(
        answer.status == 200 && answer.unversioned.text == wanted.unversioned.text, "\(filter)",
        sourceLocation: location)
      guard let json else { continue }
      let same = await post("/collections/c/clusters", "{\(view),\"filter\":\(json)}")
      #expect(same.text == answer.text, "\(json)", sourceLocation: location)
    }
    let query = TwinRequest.percentEncoded(filter)
    let items = await get("/collections/c/items?\(list)&filter=\(query)")
    let expected = await get("/collections/\(only)/items?\(list)")
    #expect(
      items.ids == expected.ids && items["numberMatched"] == expected["numberMatched"],
      sourceLocation: location)
  }
}
