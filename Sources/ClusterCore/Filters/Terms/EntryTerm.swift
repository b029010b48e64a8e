import Glibc

/// A condition on a property's strings, evaluated once for each dictionary entry that occurs.
struct EntryTerm: FilterTerm {
  let column: PropertyColumn
  let condition: StringCondition
  /// The cached answers, or nil to evaluate the condition for each feature because memory is short.
  let answers: EntryAnswers?

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    guard let codes = column.codes(around: ordinal) else { return 0 }
    let values = codes + ordinal
    guard let answers else { return candidates.filtered { holds(values[$0]) } }
    // The order matters: a known answer never changes, whereas another thread can make an unknown
    // one known between the two scans.
    let open = candidates.scanned { answers.is(.unknown, values[$0]) }
    let yes = (candidates & ~open).scanned { answers.is(.yes, values[$0]) }
    if open == 0 { return yes }
    return yes
      | open.filtered { bit in
        let answer = holds(values[bit])
        answers.set(answer ? .yes : .no, values[bit])
        return answer
      }
  }

  private func holds(_ code: PropertyColumn.Code) -> Bool {
    code >= PropertyColumn.firstEntry && column.isString(entry: code)
      && condition.holds(code, column.bytes(ofEntry: code))
  }
}
