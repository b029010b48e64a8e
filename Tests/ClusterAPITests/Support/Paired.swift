import ClusterCore
import TestSupport
import Testing

/// A service and its twin, which hold the same features.
struct Paired {
  let service: Service
  let twin: Twin

  /// Stores features in the collection `c`.
  init(_ features: [TwinFeature]) async throws {
    (service, twin) = (try Service(), Twin(features, parsing: true))
    await service.store(features)
  }

  /// Sends a viewport request and expects the twin's answer, by POST and GET alike and in both
  /// forms. Nil where both refuse it.
  func view(
    _ request: TwinRequest, _ comment: Comment, location: SourceLocation = #_sourceLocation
  ) async -> (answer: Answer, wanted: TwinAnswer)? {
    let path = "/collections/c/clusters"
    let answer = await service.post(path, request.json.text)
    let get = await service.get("\(path)?\(request.query)")
    #expect(get.status == answer.status, comment, sourceLocation: location)
    do throws(TwinRefusal) {
      let wanted = try twin.cluster(request)
      guard answer.status == 200 else {
        Issue.record("\(answer.text) — \(comment)", sourceLocation: location)
        return nil
      }
      let differences = wanted.differences(from: answer.json)
      #expect(differences == [], comment, sourceLocation: location)
      #expect(get.text == answer.text, comment, sourceLocation: location)
      let map = await service.post("\(path)?f=geojson", request.json.text)
      #expect(map.carries(answer), comment, sourceLocation: location)
      return (answer, wanted)
    } catch {
      answer.expectProblem(422, at: nil, "\(comment)", location: location)
      let isBlamed = !error.pointers.isDisjoint(with: answer.pointers)
      #expect(isBlamed, comment, sourceLocation: location)
      return nil
    }
  }
}

extension Answer {
  /// The annotations of a viewport.
  var annotations: [TestJSON] { self["annotations"]?.array ?? [] }

  /// The members but for what depends on the collection as a whole: its version, the notes, and whether GeoJSON
  /// features have ids. Their properties have them in any case.
  var unversioned: TestJSON {
    let members = (json.members ?? []).filter { !["version", "notes"].contains($0.key) }
    return .object(
      members.map { member in
        guard member.key == "features" else { return member }
        return .init("features", .array((member.value.array ?? []).map { $0.without(["id"]) }))
      })
  }

  /// Whether this is another answer as GeoJSON.
  func carries(_ other: Answer) -> Bool {
    let (features, annotations) = (self["features"]?.array ?? [], other.annotations)
    let head = (other.json.members ?? []).filter { $0.key != "annotations" }
    guard status == 200, type == "application/geo+json", features.count == annotations.count,
      head.allSatisfy({ self[$0.key] == $0.value })
    else { return false }
    return zip(features, annotations).allSatisfy { feature, annotation in
      let isCluster = annotation["isCluster"]?.bool == true
      let carrier = isCluster ? feature["properties"] : feature["annotation"]
      let id = isCluster ? carrier?["cluster_id"] : feature["properties"]?["annotation_id"]
      let rest = (annotation.members ?? []).filter { $0.key != "id" && $0.key != "feature" }
      return id == annotation["id"] && rest.allSatisfy { carrier?[$0.key] == $0.value }
    }
  }
}

extension TestJSON {
  /// `count` of an annotation.
  var count: Int { self["count"]?.int ?? -1 }

  /// Without some members.
  func without(_ names: Set<String>) -> TestJSON {
    .object((members ?? []).filter { !names.contains($0.key) })
  }
}
