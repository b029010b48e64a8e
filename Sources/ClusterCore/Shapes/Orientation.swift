/// On which side of a line a point lies, without rounding errors.
///
/// Most signs are certain in doubles. The others are those of a sum of six products, each of which is a sum of
/// two doubles: J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
/// Predicates", 1997.
enum Orientation {
  /// The bound of the relative error of the determinant in doubles, (3 + 16ε)ε for ε = 2^-53.
  private static let errorBound = (3 + 16 * 0x1p-53) * 0x1p-53

  /// Returns a positive number if `c` is to the left of the way from `a` to `b`, a negative one if it is to
  /// the right, and 0 if the three are on one line.
  @inline(__always)
  static func sign(
    _ ax: Double, _ ay: Double, _ bx: Double, _ by: Double, _ cx: Double, _ cy: Double
  ) -> Double {
    let certain = certainSign(ax, ay, bx, by, cx, cy)
    return certain != 0 ? certain : exactSign(ax, ay, bx, by, cx, cy)
  }

  /// Returns the same as ``sign(_:_:_:_:_:_:)``, but 0 wherever doubles don't tell for certain.
  @inline(__always)
  static func certainSign(
    _ ax: Double, _ ay: Double, _ bx: Double, _ by: Double, _ cx: Double, _ cy: Double
  ) -> Double {
    let left = (ax - cx) * (by - cy)
    let right = (ay - cy) * (bx - cx)
    let determinant = left - right
    let isCertain = determinant.magnitude > errorBound * (left.magnitude + right.magnitude)
    return isCertain ? determinant : 0
  }

  @inline(never)
  private static func exactSign(
    _ ax: Double, _ ay: Double, _ bx: Double, _ by: Double, _ cx: Double, _ cy: Double
  ) -> Double {
    withUnsafeTemporaryAllocation(of: Double.self, capacity: 12) { terms in
      var count = 0
      // Adds a number to the expansion, whose terms don't overlap and grow in magnitude.
      func add(_ number: Double) {
        var rest = number
        for index in 0..<count {
          let sum = rest + terms[index]
          let part = sum - rest
          terms[index] = (rest - (sum - part)) + (terms[index] - part)
          rest = sum
        }
        terms[count] = rest
        count += 1
      }
      func addProduct(_ a: Double, _ b: Double) {
        let product = a * b
        add((-product).addingProduct(a, b))
        add(product)
      }
      addProduct(ax, by)
      addProduct(-ax, cy)
      addProduct(-cx, by)
      addProduct(-ay, bx)
      addProduct(ay, cx)
      addProduct(cy, bx)
      return terms[..<count].last { $0 != 0 } ?? 0
    }
  }
}
