#if canImport(MapKit)
  import MapKit

  /// The marker of a cluster, with its count, or of a pin.
  public final class ClusterView: MKMarkerAnnotationView {
    /// By which views are used again.
    public static let identifier = "pincluster"

    public override var annotation: (any MKAnnotation)? { didSet { showCount() } }

    /// Shows what its annotation is now.
    func showCount() {
      let shown = annotation as? ClusterAnnotation
      glyphText = shown.flatMap { $0.isCluster ? String($0.count) : nil }
      canShowCallout = true
      // MapKit must neither cluster clusters nor hide some of them.
      (clusteringIdentifier, displayPriority) = (nil, .required)
    }
  }
#endif
