// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The declarations of Apple's MapKit that clients/swift uses, so that a machine without it can check types.
@_exported import Foundation
@_exported import UIKit

public struct CLLocationCoordinate2D: Sendable {
  public var latitude, longitude: Double
  public init(latitude: Double, longitude: Double) {
    (self.latitude, self.longitude) = (latitude, longitude)
  }
}

public struct MKMapPoint: Sendable {
  public var x, y: Double
  fileprivate init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
  public init(_ coordinate: CLLocationCoordinate2D) { (x, y) = (0, 0) }
}
public struct MKMapSize: Sendable { public var width, height: Double }
public struct MKMapRect: Sendable {
  public var origin: MKMapPoint
  public var size: MKMapSize
  public init(x: Double, y: Double, width: Double, height: Double) {
    (origin, size) = (MKMapPoint(x: x, y: y), MKMapSize(width: width, height: height))
  }
}

public protocol MKAnnotation: NSObjectProtocol {
  var coordinate: CLLocationCoordinate2D { get }
}

open class MKShape: NSObject {
  open var title: String?
  open var subtitle: String?
}

open class MKPointAnnotation: MKShape, MKAnnotation {
  open var coordinate = CLLocationCoordinate2D(latitude: 0, longitude: 0)
  public override init() {}
}

public struct MKFeatureDisplayPriority: Sendable {
  public static let required = MKFeatureDisplayPriority()
}

@MainActor open class MKAnnotationView: UIView {
  open var annotation: (any MKAnnotation)?
  open var canShowCallout = false
  open var clusteringIdentifier: String?
  open var displayPriority = MKFeatureDisplayPriority()
  public init(annotation: (any MKAnnotation)?, reuseIdentifier: String?) { super.init() }
}

@MainActor open class MKMarkerAnnotationView: MKAnnotationView { open var glyphText: String? }

@MainActor public protocol MKMapViewDelegate: NSObjectProtocol {
  func mapView(_ mapView: MKMapView, regionDidChangeAnimated animated: Bool)
  func mapView(_ mapView: MKMapView, viewFor annotation: any MKAnnotation) -> MKAnnotationView?
  func mapView(_ mapView: MKMapView, didAdd views: [MKAnnotationView])
}

@MainActor open class MKMapView: UIView {
  open weak var delegate: (any MKMapViewDelegate)?
  open var visibleMapRect = MKMapRect(x: 0, y: 0, width: 0, height: 0)
  open func convert(
    _ point: CGPoint, toCoordinateFrom view: UIView?
  ) -> CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: 0, longitude: 0) }
  open func setVisibleMapRect(_ rect: MKMapRect, animated: Bool) {}
  open func addAnnotations(_ annotations: [any MKAnnotation]) {}
  open func removeAnnotations(_ annotations: [any MKAnnotation]) {}
  open func view(for annotation: any MKAnnotation) -> MKAnnotationView? { nil }
  open func dequeueReusableAnnotationView(withIdentifier identifier: String) -> MKAnnotationView? {
    nil
  }
}
