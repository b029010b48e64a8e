#if canImport(MapKit)
  import MapKit
  import PinclusterClient

  #if canImport(UIKit)
    import UIKit
  #endif

  /// Shows a collection on a map view: the annotations of what is visible, asked for again whenever the map has
  /// moved, and kept up to date while features change if it watches.
  ///
  /// Make it the map view's delegate, or call ``mapDidMove(_:)`` and ``view(for:on:)`` from a delegate of your own.
  @MainActor public final class ClusteredMap: NSObject, MKMapViewDelegate {
    /// The features that are shown.
    public let features: Features
    /// Sets the fields of each request apart from its rect and scale, such as `titleProperty`. `zoomStep` is 1 unless
    /// it sets another, so that a pinch within a whole zoom reshuffles nothing: clusters keep their ids and counts,
    /// and cells are up to twice as wide on screen as `cellSize`.
    public var configure: (inout ViewRequest) -> Void
    /// Whether the map is kept up to date while it stands still.
    public var watches: Bool
    /// Called with what went wrong, while the map stays as it is. By default that is logged: tell people, too.
    public var onError: (any Error) -> Void = ClusteredMap.log
    /// How long what comes, goes and moves takes, in seconds.
    public var duration = 0.25

    private var shown: [String: ClusterAnnotation] = [:]
    private var work: Task<Void, Never>?

    /// - Parameters:
    ///   - features: what to show, such as `Pincluster(url).collection("cities")`.
    ///   - watches: see ``watches``.
    ///   - configure: see ``configure``.
    public init(
      _ features: Features, watches: Bool = false,
      configure: @escaping (inout ViewRequest) -> Void = { _ in }
    ) {
      (self.features, self.watches, self.configure) = (features, watches, configure)
    }

    // MARK: The delegate

    /// Asks for what the map shows now.
    public func mapView(_ map: MKMapView, regionDidChangeAnimated animated: Bool) {
      mapDidMove(map)
    }

    /// The view of an annotation; nil for those of others.
    public func mapView(
      _ map: MKMapView, viewFor annotation: any MKAnnotation
    ) -> MKAnnotationView? { view(for: annotation, on: map) }

    /// Fades in new annotations.
    public func mapView(_ map: MKMapView, didAdd views: [MKAnnotationView]) {
      #if canImport(UIKit)
        let new = views.filter { $0 is ClusterView }
        for view in new { view.alpha = 0 }
        animate({ for view in new { view.alpha = 1 } })
      #endif
    }

    /// The view of an annotation; nil for those of others.
    public func view(for annotation: any MKAnnotation, on map: MKMapView) -> MKAnnotationView? {
      guard annotation is ClusterAnnotation else { return nil }
      let view =
        map.dequeueReusableAnnotationView(withIdentifier: ClusterView.identifier)
        ?? ClusterView(annotation: annotation, reuseIdentifier: ClusterView.identifier)
      view.annotation = annotation
      return view
    }

    /// Requests the visible annotations, and then their changes if it watches. A request that fails for a moment, such as
    /// while the service starts anew, is repeated until the map moves; the first failure is told.
    public func mapDidMove(_ map: MKMapView) {
      work?.cancel()
      guard map.bounds.width > 0 else { return }
      work = Task { [weak self, weak map] in
        var (pause, isTold, hasWatched) = (1.0, false, false)
        while !Task.isCancelled {
          guard let self, let map else { return }
          do {
            try await self.load(map)
            guard self.watches else { return }
            // The collection has gone, and may come back.
            hasWatched = true
          } catch {
            if Task.isCancelled || error is CancellationError { return }
            if !isTold { self.onError(error) }
            isTold = true
            guard ClusteredMap.mayPass(error, isGone: hasWatched) else { return }
          }
          try? await Task.sleep(nanoseconds: UInt64(pause * Double.random(in: 0.75...1.25) * 1e9))
          pause = min(pause * 2, 30)
        }
      }
    }

    /// Whether what has failed may work later.
    private static func mayPass(_ error: any Error, isGone: Bool) -> Bool {
      guard let problem = error as? Problem else { return error is URLError }
      return problem.status >= 500 || [408, 429].contains(problem.status)
        || isGone && problem.isNotFound
    }

    /// Writes what went wrong into the log of the system.
    public nonisolated static func log(_ error: any Error) {
      let text = "pincluster: the map stays as it was: \(error)"
      // Its text is a format.
      NSLog(text.replacingOccurrences(of: "%", with: "%%"))
    }

    /// Zooms to where a cluster comes apart. Returns false if no zoom tells its features apart: show its
    /// `memberAnnotations` or its children then. The request must have `expansion`.
    @discardableResult
    public func open(_ cluster: ClusterAnnotation, on map: MKMapView) -> Bool {
      guard cluster.content.expansionZoom != nil, let rect = cluster.content.visibleMapRect else {
        return false
      }
      map.setVisibleMapRect(
        MKMapRect(x: rect.x, y: rect.y, width: rect.width, height: rect.height), animated: true)
      return true
    }

    // MARK: Annotations on screen

    /// The scale in the middle of a map, which stays the same while it turns, unlike the width of the visible rect.
    public static func scale(of map: MKMapView) -> ViewRequest.Scale {
      let points = 100.0
      func end(_ offset: Double) -> MapPoint {
        let place = CGPoint(x: Double(map.bounds.midX) + offset, y: Double(map.bounds.midY))
        let point = MKMapPoint(map.convert(place, toCoordinateFrom: map))
        return MapPoint(x: point.x, y: point.y)
      }
      return .zoom(ofSegment: points, from: end(-points / 2), to: end(points / 2))
        ?? .viewportWidth(Double(map.bounds.width))
    }

    private func load(_ map: MKMapView) async throws {
      let rect = map.visibleMapRect
      var request = ViewRequest(
        .visibleMapRect(
          MapRect(
            x: rect.origin.x, y: rect.origin.y, width: rect.size.width, height: rect.size.height)),
        ClusteredMap.scale(of: map))
      request.zoomStep = 1
      configure(&request)
      request.previous = shown.values.map(\.content)
      let view = try await features.view(request)
      try Task.checkCancellation()
      apply(view, to: map)
      guard watches else { return }
      request.previous = nil
      // The map already shows this version.
      var watched = WatchedView()
      for try await event in features.changes(request) {
        try Task.checkCancellation()
        _ = watched.apply(event)
        show(watched.annotations, on: map)
      }
    }

    private func apply(_ view: View, to map: MKMapView) {
      guard let changes = view.changes else { return show(view.annotations, on: map) }
      let before = shown
      // All pairs at once: the new id of one may be the old id of another.
      shown = [:]
      for pair in changes.kept where pair.count == 2 { shown[pair[1]] = before[pair[0]] }
      remove(changes.removed.compactMap { before[$0] }, from: map)
      update(view.annotations, on: map)
    }

    /// Shows exactly these annotations.
    private func show(_ annotations: [Annotation], on map: MKMapView) {
      let ids = Set(annotations.map(\.id))
      let gone = shown.filter { !ids.contains($0.key) }
      for id in gone.keys { shown[id] = nil }
      remove(Array(gone.values), from: map)
      update(annotations, on: map)
    }

    /// Moves those that are shown already, and adds the others.
    private func update(_ annotations: [Annotation], on map: MKMapView) {
      var added: [ClusterAnnotation] = []
      for content in annotations {
        guard let annotation = shown[content.id] else {
          let annotation = ClusterAnnotation(content)
          shown[content.id] = annotation
          added.append(annotation)
          continue
        }
        guard annotation.content != content else { continue }
        animate({ annotation.show(content) })
        (map.view(for: annotation) as? ClusterView)?.showCount()
      }
      map.addAnnotations(added)
    }

    private func remove(_ annotations: [ClusterAnnotation], from map: MKMapView) {
      guard !annotations.isEmpty else { return }
      #if canImport(UIKit)
        let views = annotations.compactMap { map.view(for: $0) }
        animate({ for view in views { view.alpha = 0 } }) {
          map.removeAnnotations(annotations)
          for view in views { view.alpha = 1 }
        }
      #else
        map.removeAnnotations(annotations)
      #endif
    }

    private func animate(_ changes: @escaping () -> Void, then end: @escaping () -> Void = {}) {
      #if canImport(UIKit)
        UIView.animate(withDuration: duration, animations: changes) { _ in end() }
      #else
        changes()
        end()
      #endif
    }
  }
#endif
