/// Taylor coefficients of the projection between latitudes and ordinates, both ways.
enum TaylorSeries {
  /// Returns the coefficients of the powers 0...`powers` of a distance in some unit.
  ///
  /// The n-th derivative is `factor` · Pₙ(x) with P₁ = 1 and Pₙ₊₁(x) = (1 + sign·x²)·Pₙ'(x) + sign·x·Pₙ(x). That of the
  /// latitude at an ordinate, the Gudermannian function, is so with the cosine as its factor, x the sine and the sign −1; that
  /// of the ordinate at a latitude, its inverse, with the secant, the tangent and the sign 1.
  ///
  /// - Parameters:
  ///   - value: the value at the middle.
  ///   - scale: a factor of all derivatives.
  ///   - unit: the unit of the distance.
  ///   - powers: at most 7.
  static func coefficients(
    value: Double, factor: Double, x: Double, sign: Double, scale: Double = 1, unit: Double,
    powers: Int
  ) -> SIMD8<Double> {
    var result = SIMD8<Double>.zero
    result[0] = value
    var polynomial: [Double] = [1]
    var scale = scale
    for power in 1...powers {
      scale *= unit / Double(power)
      result[power] = factor * polynomial.reversed().reduce(0) { $0 * x + $1 } * scale
      var next = [Double](repeating: 0, count: polynomial.count + 1)
      for (exponent, coefficient) in polynomial.enumerated() {
        next[exponent + 1] += sign * coefficient * Double(exponent + 1)
        if exponent > 0 { next[exponent - 1] += coefficient * Double(exponent) }
      }
      polynomial = next
    }
    return result
  }
}
