#if canImport(MapKit)
  import MapKit
  import PinclusterClient

  /// A cluster or a pin on a map. It stays the same object while what it stands for stays on screen, so that its
  /// view, its callout and its selection stay, too.
  public final class ClusterAnnotation: MKPointAnnotation {
    /// What the service told of it last.
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

    /// Takes on what it is now.
    func show(_ content: Annotation) {
      self.content = content
      if let place = content.coordinate {
        coordinate = CLLocationCoordinate2D(latitude: place.latitude, longitude: place.longitude)
      }
      (title, subtitle) = (content.title, content.subtitle)
    }
  }
#endif
