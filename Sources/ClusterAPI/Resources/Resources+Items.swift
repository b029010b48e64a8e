import ClusterCore
import FeatureStore
import GeoFormats
import HTTPServer
import Threading

extension Resources {
  // MARK: Lists

  func listItems(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    let fields = try Fields(
      query: request.query, allowed: ["bbox", "f"] + Fields.filterNames + Paging.names)
    let type = try request.negotiate([.geoJSON, .json], format: try fields.string("f"))
    let paging = try Paging(fields)
    let given = try fields.filter()
    let datetime = try fields.datetime()
    let region = try fields.region()
    let snapshot = try snapshot(id)
    let filter = given.narrowed(to: datetime, of: snapshot.info.temporal)
    let etag = entityTag(snapshot, request, type)
    let collection = snapshot.collection
    return .response(
      to: request, etag: etag, isSmall: filter == nil && paging.limit <= SmallRead.page,
      cost: { Cost(ofItems: paging.limit, in: region, passing: filter, of: collection) }
    ) {
      let scope = FeatureScope(
        collection, passing: try filter.map { try collection.filter($0) }, near: region)
      return Resources.featureCollection(
        scope.ordinals(in: region, offset: paging.offset, limit: paging.limit),
        of: collection.index, matched: scope.count(in: region), paging: paging, request: request,
        type: type, etag: etag)
    }
  }

  /// A page of features: the given ones, or as many as fit into it. JSON and GeoJSON differ in the media type
  /// only.
  static func featureCollection(
    _ ordinals: [Int], of index: FeatureIndex, matched: Int, paging: Paging, request: HTTPRequest,
    type: MediaType, etag: String
  ) -> HTTPResponse {
    let ordinals = AnswerLimit.page(ordinals, of: index)
    return HTTPResponse(type: type, etag: etag, reserving: 512 + ordinals.count * 256) { json in
      json.member("type", "FeatureCollection")
      json.member("numberMatched", matched)
      json.member("numberReturned", ordinals.count)
      json.array("links") { json in
        json.link(request.target, "self", type, "This page")
        let next = paging.offset + ordinals.count
        if paging.limit > 0 && next < matched {
          json.link(nextPage(request, offset: next), "next", type, "The next page")
        }
      }
      json.array("features") { json in
        for ordinal in ordinals {
          let record = index.record(at: ordinal)
          if Interruption.poll(100 &+ record.properties.count / 4) { return }
          json.feature(record)
        }
      }
    }
  }

  /// The request's target with another offset.
  static func nextPage(_ request: HTTPRequest, offset: Int) -> String {
    let others = (request.query ?? "").split(separator: "&").filter {
      EncodedText(String($0.prefix { $0 != "=" })).decoded(plusIsSpace: true) != "offset"
    }
    return "\(request.path)?" + (others + ["offset=\(offset)"]).joined(separator: "&")
  }

  // MARK: One feature

  func getItem(_ id: String, _ feature: String, _ request: HTTPRequest) throws -> HTTPResponse {
    let type = try request.answerType([.geoJSON, .json])
    let snapshot = try snapshot(id)
    var json = JSONWriter()
    json.feature(snapshot.index.record(at: try ordinal(of: feature, in: snapshot)))
    // Its entity tag is a hash of its bytes, so that writes of other features don't change it.
    var response = HTTPResponse(json, type: type)
    // OGC API Features wants a feature that is read by itself to have links. In the header they don't change
    // the feature.
    let path = "/collections/\(id)"
    let own = "\(path)/items/\(PercentCoding.encode(feature))"
    response.headers.append(("Link", "<\(own)>; rel=\"self\", <\(path)>; rel=\"collection\""))
    return response
  }
}
