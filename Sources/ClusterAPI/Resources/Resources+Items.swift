import ClusterCore
import Collections
import FeatureStore
import GeoFormats
import HTTPServer
import Texts
import Threading

extension Resources {
  // MARK: Lists

  /// The fields of a list of features. Other names in its query are those of properties.
  static let itemFields =
    ["bbox", "bbox-crs", "near", "sortby", "f"] + FeatureForm.names + Fields.filterNames
    + Paging.names

  /// The types of such a list.
  static let itemTypes: [MediaType] = [.geoJSON, .json, .html, .csv]

  func listItems(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    let fields = try Fields(
      query: RepeatedNames.joined(request.query, ["bbox", "near", "sortby", "properties"]),
      allowed: Resources.itemFields, othersAreProperties: true)
    let type = try request.negotiate(Resources.itemTypes, format: try fields.string("f"))
    let form = try FeatureForm(fields, near: try fields.near())
    let paging = try Paging(
      fields, defaultLimit: type == .html ? Paging.defaultLimitOfHTML : Paging.defaultLimit)
    let given = try fields.narrowed(try fields.filter()).narrowed(to: try fields.onlyIDs())
    let datetime = try fields.datetime()
    let sortKeys = try SortKeys(fields)
    let properties = try fields.askedProperties()
    let region = try fields.region()
    try fields.checkReferenceSystem("bbox-crs")
    let snapshot = try snapshot(id)
    let filter = given.narrowed(to: datetime, of: snapshot.info.temporal)
    let base = base(of: request)
    let etag = entityTag(snapshot.info, Resources.withoutFormat(request), type, links: base)
    let collection = snapshot.collection
    let isTable = type == .csv
    var kind = ReadKind(.items, of: id)
    kind.add(size: Double(paging.limit))
    kind.add(size: Double(paging.offset))
    kind.add(size: region?.area ?? .infinity)
    kind.add(form.properties)
    kind.add(filter)
    kind.add(sortKeys?.keys.count ?? 0)
    kind.add(form.near == nil ? 0 : 1)
    kind.add(isTable ? 2 : type == .html ? 1 : 0)
    return .response(to: request, etag: etag, kind: kind) {
      try collection.check(properties: properties)
      let scope = FeatureScope(
        collection, passing: try filter.map { try collection.filter($0) }, near: region)
      let order = try sortKeys?.order(in: collection)
      let ordinals =
        try order.map { order in
          try scope.ordinals(in: region, by: order, offset: paging.offset, limit: paging.limit)
        } ?? form.near.map { near in
          scope.ordinals(in: region, nearestTo: near, limit: paging.limit)
        } ?? scope.ordinals(in: region, offset: paging.offset, limit: paging.limit)
      return try FeaturePage(
        ordinals: ordinals, matched: scope.count(in: region), snapshot: snapshot, form: form,
        id: id, paging: paging,
        notes: PropertyNotes(filter: filter, sortKeys).sentences(in: collection),
        request: request, base: base, type: type, etag: etag
      ).response()
    }
  }

  /// The path and query of a request as they can stand in a link, without a slash at the end of the path.
  static func target(_ request: HTTPRequest) -> String {
    PercentCoding.asLink(path(request) + (request.query.map { "?\($0)" } ?? ""))
  }

  private static func path(_ request: HTTPRequest) -> Substring {
    let path = request.path.utf8
    return Substring(path.count > 1 && path.last == UInt8(ascii: "/") ? path.dropLast() : path[...])
  }

  /// The request's target with another offset.
  static func nextPage(_ request: HTTPRequest, offset: Int) -> String {
    target(request, setting: "offset", to: "\(offset)")
  }

  /// The request's target with another value of a field.
  static func target(_ request: HTTPRequest, setting name: String, to value: String) -> String {
    guard let query = request.query else {
      return PercentCoding.asLink("\(path(request))?\(name)=\(value)")
    }
    // Put together by bytes, because each page of features carries two or three.
    var target = Array(path(request).utf8)
    target.append(UInt8(ascii: "?"))
    for field in EncodedText(query).parts(separatedBy: UInt8(ascii: "&"))
    where !field.isEmpty {
      let own = field.split(at: UInt8(ascii: "=")).0
      if own.decoded(plusIsSpace: true)?.isSame(as: name) == true { continue }
      target += field.encoded
      target.append(UInt8(ascii: "&"))
    }
    target += name.utf8
    target.append(UInt8(ascii: "="))
    target += value.utf8
    return PercentCoding.asLink(String(decoding: target, as: UTF8.self))
  }

  // MARK: One feature

  func getItem(_ id: String, _ feature: String, _ request: HTTPRequest) throws -> Outcome {
    let fields = try Fields(
      query: RepeatedNames.joined(request.query, ["properties"]),
      allowed: ["f"] + FeatureForm.names)
    let type = try request.negotiate([.geoJSON, .json, .html], format: try fields.string("f"))
    let form = try FeatureForm(fields)
    let snapshot = try snapshot(id)
    let ordinal = try ordinal(of: feature, in: snapshot)
    let base = base(of: request)
    var kind = ReadKind(.item, of: id)
    kind.add(size: Double(snapshot.index.record(at: ordinal).properties.count))
    kind.add(type == .html ? 1 : 0)
    return .response(to: request, kind: kind) {
      Resources.response(
        snapshot.index.record(at: ordinal), of: snapshot.info, form, feature, request, type, base)
    }
  }

  private static func response(
    _ record: FeatureRecord, of info: CollectionInfo, _ form: FeatureForm, _ feature: String,
    _ request: HTTPRequest, _ type: MediaType, _ base: String
  ) -> HTTPResponse {
    let collection = "\(base)/collections/\(info.id)"
    let own = "\(collection)/items/\(PercentCoding.encode(feature))"
    // OGC API Features wants a feature that is read by itself to have links. In the header they don't change
    // the feature.
    let links = [
      Link(own, "self", type, "This feature"),
      Resources.alternate(request, base, of: type, .geoJSON),
      Link(collection, "collection", .json, "Its collection"),
    ]
    if type == .html {
      return Resources.page(record, form, in: info.id, links: links, base, request)
    }
    var json = JSONWriter()
    json.feature(record, of: info, form)
    // Its entity tag is a hash of its bytes, so that writes of other features don't change it.
    var response = HTTPResponse(json, type: type)
    response.add(form)
    response.add(links)
    return response
  }
}
