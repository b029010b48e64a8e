import Synchronization
import Threading

/// A body that is sent to many clients. Its compressed form is made once, when a client first wants it.
public final class KeptBody: Sendable {
  /// The body as it is.
  public let bytes: [UInt8]
  /// The unquoted entity tag: a hash of the body.
  public let etag: String
  private let packing = Locked<Packing>(.notTried)
  private let wasTried = Atomic(false)

  private enum Packing {
    case notTried
    case done(Gzip.Packed?)
  }

  /// Keeps a body. Linear in it.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
    etag = EntityTag.hash(of: bytes)
  }

  /// The most memory that both forms ever take, in bytes.
  public var maximumByteCount: Int {
    bytes.count >= ContentCoding.smallest ? 2 * bytes.count : bytes.count
  }

  /// Whether nothing has to be done any more for the compressed form.
  public var isPacked: Bool {
    wasTried.load(ordering: .relaxed) || bytes.count < ContentCoding.smallest
  }

  /// The compressed form; nil if it is not smaller or there is no memory for it.
  var packed: Gzip.Packed? {
    packing.withLongLock { packing in
      if case .done(let packed) = packing { return packed }
      let packed = Gzip.compress(bytes)
      packing = .done(packed)
      wasTried.store(true, ordering: .relaxed)
      return packed
    }
  }
}
