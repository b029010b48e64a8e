/// The times in a property: those of dates in both columns.
struct TimeColumns: Sendable {
  /// The first milliseconds, NaN where there is no time.
  let times: PropertyColumn
  /// The last milliseconds of dates.
  let days: PropertyColumn

  /// Returns the time of the feature with an ordinal.
  @inline(__always)
  func time(at ordinal: Int) -> TimeExtent {
    let (first, last) = (times.number(at: ordinal), days.number(at: ordinal))
    return TimeExtent(first: first, last: last.isNaN ? first : last)
  }
}
