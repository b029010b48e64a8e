#if canImport(MapKit)
  import MapKit
  import PinclusterClient

  /// A cluster or a pin on a map. It stays the same object while its cluster or pin is on screen, and so do its
  /// view, its callout and its selection.
  public final class ClusterAnnotation: MKPointAnnotation {
    /// The latest annotation from the service.
    public private(set) var content: Annotation

    init(_ content: Annotation) {
      self.content = content
      super.init()
      show(content)
    }

    /// The number of its features.
    public var count: Int { content.count ?? 1 }
    /// Whether it has several features.
    public var isCluster: Bool { count > 1 }

    /// Its features as far as the request asked for `members`, as `MKClusterAnnotation.memberAnnotations`.
    public var memberAnnotations: [Annotation.Member] { content.members ?? [] }

    /// Takes on its present content.
    func show(_ content: Annotation) {
      self.content = content
      if let place = content.coordinate {
        coordinate = CLLocationCoordinate2D(latitude: place.latitude, longitude: place.longitude)
      }
      (title, subtitle) = (content.title, content.subtitle)
    }
  }
#endif
