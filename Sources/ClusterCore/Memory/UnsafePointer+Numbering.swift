extension UnsafePointer {
  /// What elements are found by when the one that had the number 0 gets another.
  func numbered(from number: Int) -> UnsafePointer {
    // By way of integers, for a pointer may not leave its memory, and what is read never does.
    let start = Int(bitPattern: self) &- number &* MemoryLayout<Pointee>.stride
    guard let result = UnsafePointer(bitPattern: start) else {
      preconditionFailure("no memory lies as low as it has numbers")
    }
    return result
  }
}
