import Threading

extension Locked {
  /// A copy of the value, taken under the lock.
  public var value: Value { withLock { $0 } }
}
