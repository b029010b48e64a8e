import MapKit
import PinclusterClient
import PinclusterMapKit
import SwiftUI

/// The cities of a pincluster service on a map: `MapView(service: URL(string: "http://127.0.0.1:8080")!)`.
struct MapView: UIViewRepresentable {
  let service: URL

  func makeCoordinator() -> ClusteredMap {
    ClusteredMap(Pincluster(service).collection("cities"), watches: true) { request in
      request.titleProperty = "name"
      request.expansion = true
    }
  }

  func makeUIView(context: Context) -> MKMapView {
    let map = MKMapView()
    map.delegate = context.coordinator
    return map
  }

  func updateUIView(_ map: MKMapView, context: Context) {}
}
