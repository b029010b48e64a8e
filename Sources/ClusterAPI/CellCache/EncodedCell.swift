import Synchronization

/// A cell as it is printed: its annotations, with commas between them. It doesn't change, and belongs to
/// the pages that it is in, which count their references.
///
/// Not an object: readers take thousands of cells a request, and to retain and release each would cost
/// more than to copy it. They hold the page instead.
struct EncodedCell {
  private struct Head: ~Copyable {
    /// The pages that it is in; negative for what is never freed.
    let references: Atomic<Int>
    let byteCount: Int
    let features: Int
    let annotations: Int
  }

  /// A head and the bytes behind it.
  private let head: UnsafeMutablePointer<Head>

  /// The longest that is kept, in bytes.
  static let maximumBytes = 256 << 10

  /// A cell of nothing.
  static let empty = EncodedCell(shared: 0)
  /// Stands for a cell that is too long to be kept: it has more annotations than any answer.
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

  /// The cell that a page keeps by its address.
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

  /// As it is printed; as long as a page holds the cell.
  @inline(__always)
  var json: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: head + 1, count: head.pointee.byteCount)
  }

  /// The memory that it takes.
  var size: Int { isShared ? 0 : MemoryLayout<Head>.size + head.pointee.byteCount }

  private var isShared: Bool { head.pointee.references.load(ordering: .relaxed) < 0 }

  /// It is in one more page.
  func retain() {
    if !isShared { head.pointee.references.add(1, ordering: .relaxed) }
  }

  /// It is in one page less.
  ///
  /// - Returns: the memory that is free again.
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
