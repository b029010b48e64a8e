import Glibc
import Synchronization
import Threading

/// A condition on a property's strings, evaluated once for each dictionary entry that occurs.
struct EntryTerm: SlowTerm {
  /// A condition on strings that is expensive to evaluate.
  enum Condition: Sendable {
    case comparison(FilterExpression.Comparison, [UInt8])
    case like(LikePattern, isNegated: Bool)
    /// One of several dictionary entries, or none of them, by their codes in ascending order.
    case entries([PropertyColumn.Code], isNegated: Bool)
    /// One of several texts, or none of them.
    case texts(Set<[UInt8]>, isNegated: Bool)
    /// Any string.
    case any

    /// The steps that a byte of text takes.
    private var steps: Int { if case .like(let pattern, _) = self { pattern.cost } else { 1 } }

    func holds(_ code: PropertyColumn.Code, _ text: UnsafeRawBufferPointer) -> Bool {
      // The result of cancelled work is discarded.
      if Cancellation.poll(20 + text.count * steps) { return false }
      return switch self {
      case .comparison(let comparison, let other):
        comparison.holds(other.withUnsafeBytes { ByteOrder.compare(text, $0) })
      case .like(let pattern, let isNegated): pattern.matches(text) != isNegated
      case .entries(let codes, let isNegated): (codes.sortedIndex(of: code) != nil) != isNegated
      case .texts(let texts, let isNegated): texts.contains(Array(text)) != isNegated
      case .any: true
      }
    }
  }

  /// The cached answers of a condition: one byte for each code.
  ///
  /// `@unchecked Sendable`: accessed only by relaxed atomic operations. Threads that evaluate an
  /// entry at the same time store the same answer.
  final class Answers: @unchecked Sendable {
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

  let column: PropertyColumn
  let condition: Condition
  /// The differences that don't matter.
  let folding: TextFolding
  /// The cached answers, or nil to evaluate the condition for each feature because memory is short.
  let answers: Answers?

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    guard let codes = column.codes[around: ordinal] else { return 0 }
    let values = codes + ordinal
    guard let answers else { return candidates.filtered { holds(values[$0]) } }
    // The order matters: a known answer never changes, whereas another thread can make an unknown
    // one known between the two scans.
    let open = candidates.scanned { answers.is(.unknown, values[$0]) }
    let yes = (candidates & ~open).scanned { answers.is(.yes, values[$0]) }
    return yes
      | open.filtered { bit in
        let answer = holds(values[bit])
        if !Cancellation.isOver { answers.set(answer ? .yes : .no, values[bit]) }
        return answer
      }
  }

  func coverage(ofBlock number: Int) -> Coverage {
    column.chunks[number].codes == nil ? .outside : .partial
  }

  private func holds(_ code: PropertyColumn.Code) -> Bool {
    guard code >= PropertyColumn.firstEntry, column.isString(entry: code) else { return false }
    let text = column.bytes(ofEntry: code)
    if folding.isEmpty { return condition.holds(code, text) }
    if Cancellation.poll(text.count * 50) { return false }
    return folding.fold(text).withUnsafeBytes { condition.holds(code, $0) }
  }
}

/// True if the value is a given boolean or string.
struct CodeTerm: FilterTerm {
  let column: PropertyColumn
  let code: PropertyColumn.Code

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    guard let codes = column.codes[around: ordinal] else { return 0 }
    let (values, code) = (codes + ordinal, self.code)
    return candidates.scanned { values[$0] == code }
  }

  func coverage(ofBlock number: Int) -> Coverage {
    column.chunks[number].codes == nil ? .outside : .partial
  }
}

/// True if the value is missing, or with `isNegated` if it isn't.
struct NullTerm: FilterTerm {
  let column: PropertyColumn
  let isNegated: Bool

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    var missing: UInt64 = candidates
    if let codes = column.codes[around: ordinal] {
      let values = codes + ordinal
      missing = candidates.scanned { values[$0] == PropertyColumn.missing }
    } else if let doubles = column.doubles[around: ordinal] {
      let values = doubles + ordinal
      missing = candidates.scanned { values[$0] != values[$0] }
    }
    return isNegated ? candidates & ~missing : missing
  }

  func coverage(ofBlock number: Int) -> Coverage {
    let chunk = column.chunks[number]
    if chunk.codes != nil { return .partial }
    if chunk.doubles == nil { return isNegated ? .outside : .inside }
    return chunk.isNumeric ? isNegated ? .inside : .outside : .partial
  }
}
