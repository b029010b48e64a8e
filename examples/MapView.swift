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
    // Errors are logged, and reported once, as the map goes on showing what it has.
    let clusters = context.coordinator
    clusters.onError = { [weak map, weak clusters] error in
      clusters?.onError = ClusteredMap.log
      ClusteredMap.log(error)
      let notice = UILabel(frame: CGRect(x: 16, y: 64, width: 320, height: 80))
      notice.text = "These places may be out of date. \((error as? Problem)?.detail ?? "")"
      (notice.numberOfLines, notice.backgroundColor) = (0, .systemBackground)
      map?.addSubview(notice)
    }
    return map
  }

  func updateUIView(_ map: MKMapView, context: Context) {}
}
