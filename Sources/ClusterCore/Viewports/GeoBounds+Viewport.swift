extension GeoBounds {
  /// The rectangle in which to show features with these bounds: extended by a tenth on each side and
  /// at least 512 map points wide and high.
  var visibleMapRect: MapRect {
    var bounds = folded
    // East of west across the antimeridian.
    if bounds.west > bounds.east { bounds.east += 360 }
    var rect = bounds.mapRect.grown(by: 0.1)
    let (width, height) = (max(rect.width, 512), max(rect.height, 512))
    rect.x -= (width - rect.width) / 2
    rect.y -= (height - rect.height) / 2
    (rect.width, rect.height) = (width, height)
    return rect
  }
}
