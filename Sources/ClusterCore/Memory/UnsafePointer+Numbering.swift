extension UnsafePointer {
  /// Returns a pointer that is subscripted by numbers from `number` on instead of from 0.
  func numbered(from number: Int) -> UnsafePointer {
    // Integer arithmetic, because a pointer may not leave its allocation. Reads never do.
    let start = Int(bitPattern: self) &- number &* MemoryLayout<Pointee>.stride
    guard let result = UnsafePointer(bitPattern: start) else {
      preconditionFailure("the memory starts below its first number")
    }
    return result
  }
}
