import Synchronization

/// An encoded cell: its annotations, with commas between them. It doesn't change. The pages that hold it
/// own it and count their references.
///
/// It is not an object: a reader takes thousands of cells for one request, and retaining and releasing each
/// would cost more than copying it. Readers hold the page instead.
struct EncodedCell {
  private struct Head: ~Copyable {
    /// The number of pages that hold the cell; negative if it is never freed.
    let references: Atomic<Int>
    let byteCount: Int
    let features: Int
    let annotations: Int
  }

  /// The head; the bytes follow it in memory.
  private let head: UnsafeMutablePointer<Head>

  /// The most bytes of a cell that is kept.
  static let maximumBytes = 256 << 10

  /// A cell without annotations.
  static let empty = EncodedCell(shared: 0)
  /// Stands for every cell that is too long to be kept. It has more annotations than any answer can have.
  static let tooLong = EncodedCell(shared: 1 << 32)

  /// A cell with one reference.
  init(_ json: UnsafeRawBufferPointer, features: Int, annotations: Int) {
    let size = MemoryLayout<Head>.size + json.count
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: size, alignment: MemoryLayout<Head>.alignment)
    head = memory.assumingMemoryBound(to: Head.self)
    head.initialize(
      to: Head(
        references: Atomic(1), byteCount: json.count, features: features,
        annotations: annotations))
    UnsafeMutableRawBufferPointer(start: head + 1, count: json.count).copyMemory(from: json)
  }

  private init(shared annotations: Int) {
    head = .allocate(capacity: 1)
    head.initialize(
      to: Head(references: Atomic(-1), byteCount: 0, features: 0, annotations: annotations))
  }

  /// The cell at an address, which a page holds.
  @inline(__always)
  init(at address: UnsafeRawPointer) {
    head = UnsafeMutableRawPointer(mutating: address).assumingMemoryBound(to: Head.self)
  }

  @inline(__always)
  var address: UnsafeRawPointer { UnsafeRawPointer(head) }

  /// The number of its features.
  @inline(__always)
  var features: Int { head.pointee.features }

  /// The number of its annotations.
  @inline(__always)
  var annotations: Int { head.pointee.annotations }

  /// The bytes. They are valid while a page holds the cell.
  @inline(__always)
  var json: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: head + 1, count: head.pointee.byteCount)
  }

  /// The memory that the cell takes, in bytes.
  var size: Int { isShared ? 0 : MemoryLayout<Head>.size + head.pointee.byteCount }

  private var isShared: Bool { head.pointee.references.load(ordering: .relaxed) < 0 }

  /// Counts one more page that holds the cell.
  func retain() {
    if !isShared { head.pointee.references.add(1, ordering: .relaxed) }
  }

  /// Counts one page less that holds the cell, and frees it with the last; returns the bytes that were freed.
  func release() -> Int {
    guard !isShared else { return 0 }
    let size = self.size
    let left = head.pointee.references.subtract(1, ordering: .acquiringAndReleasing).newValue
    guard left == 0 else { return 0 }
    head.deinitialize(count: 1)
    UnsafeMutableRawPointer(head).deallocate()
    return size
  }
}

/// `@unchecked Sendable`: but for the counter, which is atomic, nothing of it changes.
extension EncodedCell: @unchecked Sendable {}
