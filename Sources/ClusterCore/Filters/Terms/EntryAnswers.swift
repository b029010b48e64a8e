import Glibc
import Synchronization

/// The cached answers of a condition: one byte for each code.
///
/// `@unchecked Sendable`: accessed only by relaxed atomic operations. Threads that evaluate an
/// entry at the same time store the same answer.
final class EntryAnswers: @unchecked Sendable {
  enum Answer: UInt8 { case unknown, no, yes }

  private let answers: UnsafeMutablePointer<Atomic<UInt8>>

  /// Creates unknown answers for `count` codes, or returns nil if there is no memory.
  init?(count: Int) {
    // The system zeroes pages on first access, so untouched ones cost little.
    guard let memory = calloc(count, MemoryLayout<Atomic<UInt8>>.stride) else { return nil }
    answers = memory.bindMemory(to: Atomic<UInt8>.self, capacity: count)
  }

  deinit { free(answers) }

  @inline(__always)
  func `is`(_ answer: Answer, _ code: PropertyColumn.Code) -> Bool {
    answers[Int(code)].load(ordering: .relaxed) == answer.rawValue
  }

  func set(_ answer: Answer, _ code: PropertyColumn.Code) {
    answers[Int(code)].store(answer.rawValue, ordering: .relaxed)
  }
}
