import Glibc
import Synchronization

/// A condition on strings that takes some time to tell.
enum StringCondition: Sendable {
  case comparison(FilterExpression.Comparison, [UInt8])
  case like(LikePattern, isNegated: Bool)
  /// One of several entries, or none of them: their codes in ascending order.
  case entries([PropertyColumn.Code], isNegated: Bool)

  func holds(_ code: PropertyColumn.Code, _ text: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .comparison(let comparison, let other):
      comparison.holds(other.withUnsafeBytes { ByteOrder.compare(text, $0) })
    case .like(let pattern, let isNegated): pattern.matches(text) != isNegated
    case .entries(let codes, let isNegated): StringCondition.contains(codes, code) != isNegated
    }
  }

  private static func contains(
    _ codes: [PropertyColumn.Code], _ code: PropertyColumn.Code
  ) -> Bool {
    var (low, high) = (0, codes.count)
    while low < high {
      let middle = (low + high) / 2
      if codes[middle] < code { low = middle + 1 } else { high = middle }
    }
    return low < codes.count && codes[low] == code
  }
}

/// A condition on a property's strings, told once for each entry of the dictionary that is met.
struct EntryTerm: FilterTerm {
  let column: PropertyColumn
  let condition: StringCondition
  /// nil if there was no memory to spare: then the condition is told for each feature.
  let memory: EntryMemory?

  func mask(from place: Int, among candidates: UInt64) -> UInt64 {
    guard let codes = column.codes(around: place) else { return 0 }
    let values = codes + place
    guard let memory else { return candidates.filtered { holds(values[$0]) } }
    // In this order: what was told once stays so, whereas what is unknown now may be told by another
    // thread before it is looked at again.
    let open = candidates.scanned { memory.is(.unknown, values[$0]) }
    let yes = (candidates & ~open).scanned { memory.is(.yes, values[$0]) }
    if open == 0 { return yes }
    return yes
      | open.filtered { bit in
        let answer = holds(values[bit])
        memory.keep(answer ? .yes : .no, values[bit])
        return answer
      }
  }

  private func holds(_ code: PropertyColumn.Code) -> Bool {
    code >= PropertyColumn.firstEntry && column.isString(entry: code)
      && condition.holds(code, column.bytes(ofEntry: code))
  }
}

/// What was told of the entries so far: a byte for each code.
///
/// `@unchecked Sendable`: only touched by relaxed atomic operations. Threads that look at an entry at
/// the same time come to the same answer, and it doesn't matter whose is kept.
final class EntryMemory: @unchecked Sendable {
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
