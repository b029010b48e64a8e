import Glibc
import Synchronization

/// What was told of the entries so far: a byte for each code.
///
/// `@unchecked Sendable`: only touched by relaxed atomic operations. Threads that look at an entry at
/// the same time come to the same answer, and it doesn't matter whose is kept.
final class EntryAnswers: @unchecked Sendable {
  enum Answer: UInt8 { case unknown, no, yes }

  private let answers: UnsafeMutablePointer<Atomic<UInt8>>

  /// Knows nothing yet about a number of codes. nil without memory.
  init?(count: Int) {
    // Zeroed by the system when it is touched, so that a large one costs little if little is looked
    // at.
    guard let memory = calloc(count, MemoryLayout<Atomic<UInt8>>.stride) else { return nil }
    answers = memory.bindMemory(to: Atomic<UInt8>.self, capacity: count)
  }

  deinit { free(answers) }

  @inline(__always)
  func `is`(_ answer: Answer, _ code: PropertyColumn.Code) -> Bool {
    answers[Int(code)].load(ordering: .relaxed) == answer.rawValue
  }

  func keep(_ answer: Answer, _ code: PropertyColumn.Code) {
    answers[Int(code)].store(answer.rawValue, ordering: .relaxed)
  }
}
