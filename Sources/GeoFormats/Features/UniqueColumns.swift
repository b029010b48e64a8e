/// Looks for a column that could give the ids: one with another value in each line. Of a long table it sees the
/// beginning, so that its memory is bounded.
struct UniqueColumns {
  /// A column with another value in each line.
  struct Finding {
    let column: Int
    let lines: Int
    /// Whether these are all lines.
    let isAll: Bool
  }

  private static let mostColumns = 4
  private static let mostLines = 50_000
  /// The longest id in bytes.
  private static let mostBytes = 1024

  private var candidates: [(column: Int, seen: Set<Int>)]
  private var lines = 0
  private var isAll = true

  init(_ plan: TablePlan) {
    guard plan.wantsID else {
      candidates = []
      return
    }
    candidates = plan.properties.indices.lazy.filter { !plan.properties[$0].isEmpty }
      .prefix(UniqueColumns.mostColumns).map { ($0, []) }
  }

  /// Notes a record that was read.
  mutating func add(_ fields: [CSVFields.Field], _ record: UnsafeRawBufferPointer) {
    guard !candidates.isEmpty else { return }
    guard lines < UniqueColumns.mostLines else {
      isAll = false
      return
    }
    lines += 1
    var index = 0
    while index < candidates.count {
      let field = fields[candidates[index].column]
      let text = UnsafeRawBufferPointer(rebasing: record[field.start..<field.end])
      var hasher = Hasher()
      hasher.combine(bytes: text)
      let isID =
        !text.isEmpty && text.count <= UniqueColumns.mostBytes
        && !(text.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }
          && ColumnKinds.of(text, isQuoted: false, separator: 0) != .text)
      if isID, candidates[index].seen.insert(hasher.finalize()).inserted {
        index += 1
      } else {
        candidates.remove(at: index)
      }
    }
  }

  /// The first such column.
  var finding: Finding? {
    guard lines > 1, let first = candidates.first else { return nil }
    return Finding(column: first.column, lines: lines, isAll: isAll)
  }
}
