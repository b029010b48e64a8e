import CHints

/// Encodes the index of features without making it in memory. The features arrive in the order of their
/// ids, are sorted into index order in runs, and the runs are merged. Takes some 64 MiB and 4 bytes a
/// feature.
public struct IndexFileSorter {
  /// Space for what isn't kept in memory.
  public protocol Scratch: AnyObject {
    /// Appends bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws

    /// Fills `target` with the bytes that were appended from `offset` on.
    func read(at offset: Int, into target: UnsafeMutableRawBufferPointer) throws
  }

  /// The head of each record of a run.
  struct Head: BitwiseCopyable {
    var key: UInt64
    /// Its rank in the order of ids.
    var rank: UInt32
    /// The size of the record.
    var size: UInt32
  }

  private static let runBytes = 32 << 20
  private static let outputBytes = 1 << 20

  private let scratch: any Scratch
  private let runBytes: Int
  /// The records of the current run, and the output that is still to be written to scratch space.
  private var records: GrowingArray<UInt8>
  private var output = GrowingArray<UInt8>(capacity: 0)
  private var keys = GrowingArray<UInt64>(capacity: 1 << 15)
  private var offsets = GrowingArray<UInt32>(capacity: 1 << 15)
  /// The ends of the runs in the scratch space.
  private var ends: [Int] = []
  private var count = 0

  /// Creates a sorter.
  public init(scratch: any Scratch) {
    self.init(scratch: scratch, runBytes: IndexFileSorter.runBytes)
  }

  /// Creates a sorter with runs of some size in bytes, at most 2^30.
  init(scratch: any Scratch, runBytes: Int) {
    (self.scratch, self.runBytes) = (scratch, runBytes)
    // Pages that aren't written to take no memory.
    records = GrowingArray(capacity: runBytes + IndexFileSorter.outputBytes)
  }

  /// Takes features whose ids follow those of earlier ones.
  ///
  /// - Throws: ``RecordArena/Full`` if there are too many features, or the error of the scratch file.
  /// - Complexity: O(bytes of the batch).
  public mutating func append(_ batch: FeatureBatch) throws {
    guard count + batch.count <= FeatureIndex.maximumCount else { throw RecordArena.Full() }
    _ = try batch.withRecords { lent throws(any Error) in
      for index in 0..<lent.count {
        let record = lent[index]
        keys.append(Position(record.coordinate).zOrder)
        offsets.append(UInt32(records.count))
        records.append(contentsOf: UnsafeRawBufferPointer(start: record.base, count: record.size))
        count += 1
        if records.count >= runBytes { try endRun() }
      }
    }
  }

  /// Sorts the current run and writes it to scratch space.
  private mutating func endRun() throws {
    let size = keys.count
    guard size > 0 else { return }
    let order = WritableArray<UInt32>(count: size)
    for index in 0..<size { order.pointer[index] = UInt32(index) }
    // The sort is stable, so ids break ties.
    RadixSort.sort(keys: keys.pointer, values: order.pointer, count: size)
    if output.count == 0 { output = GrowingArray(capacity: IndexFileSorter.outputBytes * 2) }
    var written = ends.last ?? 0
    let ahead = 8
    for index in 0..<size {
      let own = Int(order.pointer[index])
      // Records lie all over the run, so they are prefetched.
      let next = Int(order.pointer[min(index &+ ahead, size &- 1)])
      let nextRecord = UnsafeRawPointer(records.pointer) + Int(offsets.pointer[next])
      chints_prefetch(nextRecord)
      chints_prefetch(nextRecord + 64)
      let record = FeatureRecord(
        base: UnsafeRawPointer(records.pointer) + Int(offsets.pointer[own]))
      let head = Head(
        key: keys.pointer[index], rank: UInt32(count - size + own), size: UInt32(record.size))
      withUnsafeBytes(of: head) { output.append(contentsOf: $0) }
      output.append(contentsOf: UnsafeRawBufferPointer(start: record.base, count: record.size))
      guard output.count >= IndexFileSorter.outputBytes || index == size - 1 else { continue }
      try scratch.append(UnsafeRawBufferPointer(start: output.pointer, count: output.count))
      written += output.count
      output.removeAll()
    }
    ends.append(written)
    records.removeAll()
    keys = GrowingArray(capacity: size)
    offsets.removeAll()
  }

  /// Merges the runs into what ``FeatureIndex/encode(to:)`` would write for an index of all features.
  ///
  /// - Returns: the number of features.
  /// - Throws: the error of the sink or of the scratch file.
  /// - Complexity: O(n log r) for r runs.
  public mutating func finish(to sink: IndexFileSection.Sink) throws -> Int {
    try endRun()
    // The memory is needed for the runs now.
    records = GrowingArray(capacity: 0)
    output = GrowingArray(capacity: 0)
    var runs: [IndexFileRun] = []
    for (number, end) in ends.enumerated() {
      let start = number == 0 ? 0 : ends[number - 1]
      runs.append(try IndexFileRun(scratch, number, start..<end))
    }
    let order = WritableArray<UInt32>(count: count)
    var encoder = IndexFileEncoder()
    var offset: UInt32 = 0
    var heap = BinaryHeap<IndexFileRun>()
    for run in runs { heap.insert(run) }
    while let run = heap.first {
      try encoder.append(run.record, to: sink)
      order.pointer[Int(run.head.rank)] = offset
      offset += 1
      if try run.advance() { heap.replaceFirst(by: run) } else { _ = heap.popFirst() }
    }
    try encoder.finish(order: UnsafeBufferPointer(start: order.pointer, count: count), to: sink)
    return count
  }
}
