extension Route {
  /// Every resource: its path, as openapi.yaml has it, and the function of each method. GET stands for
  /// HEAD, too, and every resource has OPTIONS.
  static let all: [Route] = [
    Route(
      "/", answersBeforeLoading: true, listsCollections: true, [.get: { try $0.landing($2) }]),
    Route("/openapi.yaml", answersBeforeLoading: true, [.get: { .now(try $0.openAPI($2)) }]),
    Route(
      "/api", answersBeforeLoading: true, listsCollections: true, [.get: { try $0.openAPI30($2) }]),
    Route("/favicon.ico", answersBeforeLoading: true, [.get: { .now(try $0.favicon($2)) }]),
    Route("/map", answersBeforeLoading: true, [.get: { .now(try $0.mapPage($2)) }]),
    Route(
      "/clients/{clientFile}", answersBeforeLoading: true,
      [.get: { .now(try $0.clientFile($1.collection, $2)) }]),
    Route(
      "/clients/leaflet/{leafletFile}", answersBeforeLoading: true,
      [.get: { .now(try $0.leafletFile($1.collection, $2)) }]),
    Route(
      "/clients/leaflet/images/{leafletImage}", answersBeforeLoading: true,
      [.get: { .now(try $0.leafletImage($1.collection, $2)) }]),
    Route("/conformance", answersBeforeLoading: true, [.get: { .now(try $0.conformance($2)) }]),
    Route("/health/live", answersBeforeLoading: true, [.get: { .now(try $0.live($2)) }]),
    Route("/health/ready", answersBeforeLoading: true, [.get: { .now(try $0.ready($2)) }]),
    Route(
      "/metrics", answersBeforeLoading: true, tellsOfEverything: true,
      [.get: { try $0.metricsText($2) }]),
    Route(
      "/tileMatrixSets", answersBeforeLoading: true, [.get: { .now(try $0.tileMatrixSets($2)) }]),
    Route(
      "/tileMatrixSets/WebMercatorQuad", answersBeforeLoading: true,
      [.get: { .now(try $0.tileMatrixSet($2)) }]),
    Route("/collections", listsCollections: true, [.get: { try $0.listCollections($2) }]),
    Route(
      "/collections/{collectionId}",
      [
        .get: { try $0.getCollection($1.collection, $2) },
        .put: { try $0.putCollection($1.collection, $2) },
        .delete: { try $0.deleteCollection($1.collection, $2) },
      ]),
    Route(
      "/collections/{collectionId}/queryables", [.get: { try $0.queryables($1.collection, $2) }]),
    Route("/collections/{collectionId}/schema", [.get: { try $0.schema($1.collection, $2) }]),
    Route(
      "/collections/{collectionId}/items",
      [
        .get: { try $0.listItems($1.collection, $2) },
        .post: { try $0.postItems($1.collection, $2) },
        .delete: { try $0.deleteItems($1.collection, $2) },
      ]),
    Route(
      "/collections/{collectionId}/items/{featureId}",
      [
        .get: { try $0.getItem($1.collection, $1.member, $2) },
        .put: { try $0.putItem($1.collection, $1.member, $2) },
        .patch: { try $0.patchItem($1.collection, $1.member, $2) },
        .delete: { try $0.deleteItem($1.collection, $1.member, $2) },
      ]),
    Route(
      "/collections/{collectionId}/items/{featureId}/locate",
      [.post: { try $0.locate($1.collection, $1.member, $2) }]),
    Route(
      "/collections/{collectionId}/clusters",
      [.get: { try $0.clusters($1.collection, $2) }, .post: { try $0.clusters($1.collection, $2) }]),
    Route(
      "/collections/{collectionId}/clusters/{annotationId}",
      [.get: { try $0.getAnnotation($1.collection, $1.member, $2) }]),
    Route(
      "/collections/{collectionId}/clusters/{annotationId}/items",
      [.get: { try $0.annotationItems($1.collection, $1.member, $2) }]),
    Route(
      "/collections/{collectionId}/clusters/{annotationId}/children",
      [.get: { try $0.annotationChildren($1.collection, $1.member, $2) }]),
    Route(
      "/collections/{collectionId}/clusters/{annotationId}/hull",
      [.get: { try $0.annotationHull($1.collection, $1.member, $2) }]),
    Route(
      "/collections/{collectionId}/pins",
      [.get: { try $0.pins($1.collection, $2) }, .post: { try $0.pins($1.collection, $2) }]),
    Route("/collections/{collectionId}/tiles.json", [.get: { try $0.tileJSON($1.collection, $2) }]),
    Route(
      "/collections/{collectionId}/tiles", [.get: { .now(try $0.tileSets($1.collection, $2)) }]),
    Route(
      "/collections/{collectionId}/tiles/WebMercatorQuad",
      [.get: { .now(try $0.tileSet($1.collection, $2)) }]),
    Route(
      "/collections/{collectionId}/tiles/WebMercatorQuad/{tileMatrix}/{tileRow}/{tileCol}",
      [
        .get: {
          try $0.tile(
            $1.collection, try TilePath($1.member, $1.third, $1.fourth, isRowFirst: true), $2)
        }
      ]),
    Route(
      "/collections/{collectionId}/tiles/{tileZoom}/{tileX}/{tileY}",
      [.get: { try $0.tile($1.collection, try TilePath($1.member, $1.third, $1.fourth), $2) }]),
    Route(
      "/collections/{collectionId}/changes",
      [.get: { try $0.changes($1.collection, $2) }, .post: { try $0.changes($1.collection, $2) }]),
  ]

  /// The label of all paths at which there is nothing.
  static let unknown = "(unknown)"

  /// The paths by the numbers of their resources, for labels.
  static let labels = all.map(\.path)

  /// `*`, the service as a whole: it has OPTIONS, and nothing is there for the other methods.
  static let service = Route(
    "*",
    [.get: nothing, .post: nothing, .put: nothing, .patch: nothing, .delete: nothing])

  private static let nothing: Handler = { _, _, _ in
    throw Problem.notFound("nothing is at this path")
  }
}
