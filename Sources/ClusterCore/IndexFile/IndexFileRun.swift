import Glibc

/// A sorted run of an ``IndexFileSorter`` that is read from scratch space record by record.
final class IndexFileRun {
  /// Its index among the runs.
  let number: Int
  /// The head of the current record.
  private(set) var head = IndexFileSorter.Head(key: 0, rank: 0, size: 0)

  private let scratch: any IndexFileSorter.Scratch
  private var buffer: WritableArray<UInt64>
  /// The part of the buffer that is still to be consumed; it begins at the current record.
  private var available = 0..<0
  /// The part of the scratch space that is still to be read.
  private var rest: Range<Int>

  private static let bufferSize = 1 << 18
  private static let headSize = MemoryLayout<IndexFileSorter.Head>.size

  /// Opens a run, which must not be empty, at its first record.
  init(_ scratch: any IndexFileSorter.Scratch, _ number: Int, _ range: Range<Int>) throws {
    (self.scratch, self.number) = (scratch, number)
    rest = range
    buffer = WritableArray(count: IndexFileRun.bufferSize / 8)
    try load()
  }

  private var bytes: UnsafeMutableRawPointer { UnsafeMutableRawPointer(buffer.pointer) }

  /// The current record, valid until the run is advanced.
  var record: FeatureRecord {
    FeatureRecord(base: UnsafeRawPointer(bytes) + available.lowerBound + IndexFileRun.headSize)
  }

  /// Advances to the next record and returns whether there is one.
  func advance() throws -> Bool {
    available =
      (available.lowerBound + IndexFileRun.headSize + Int(head.size))..<available.upperBound
    guard !available.isEmpty || !rest.isEmpty else { return false }
    try load()
    return true
  }

  private func load() throws {
    try demand(IndexFileRun.headSize)
    head = bytes.load(fromByteOffset: available.lowerBound, as: IndexFileSorter.Head.self)
    try demand(IndexFileRun.headSize + Int(head.size))
  }

  /// Reads on until at least `count` bytes are available.
  private func demand(_ count: Int) throws {
    guard available.count < count else { return }
    let kept = available.count
    var target = buffer
    if count > buffer.byteCount { target = WritableArray(count: (count + 7) / 8) }
    let start = UnsafeMutableRawPointer(target.pointer)
    memmove(start, bytes + available.lowerBound, kept)
    buffer = target
    let size = min(target.byteCount - kept, rest.count)
    try scratch.read(
      at: rest.lowerBound, into: UnsafeMutableRawBufferPointer(start: start + kept, count: size))
    rest = (rest.lowerBound + size)..<rest.upperBound
    available = 0..<(kept + size)
  }
}

extension IndexFileRun: Comparable {
  /// By their current records. Of equal positions the earlier run has the lesser ids.
  static func < (a: IndexFileRun, b: IndexFileRun) -> Bool {
    a.head.key != b.head.key ? a.head.key < b.head.key : a.number < b.number
  }

  static func == (a: IndexFileRun, b: IndexFileRun) -> Bool { a === b }
}
