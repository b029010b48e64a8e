import Synchronization

/// A value behind a mutex, for tests that share a little state between threads.
public final class Locked<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  /// Holds a value.
  public init(_ value: Value) { mutex = Mutex(value) }

  /// The value now.
  public var value: Value { withLock { $0 } }

  /// Calls with exclusive access.
  public func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows -> Result
  {
    try mutex.withLock { value in try body(&value) }
  }
}
