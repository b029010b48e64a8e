import Glibc

/// A condition on a property's strings, told once for each entry of the dictionary that is met.
struct EntryTerm: FilterTerm {
  let column: PropertyColumn
  let condition: StringCondition
  /// nil if there was no memory to spare: then the condition is told for each feature.
  let memory: EntryAnswers?

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    guard let codes = column.codes(around: ordinal) else { return 0 }
    let values = codes + ordinal
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
