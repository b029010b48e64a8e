/// Notes on a table: assumptions made while reading it, and unusual fields.
enum TableNotes {
  /// The most names in a note.
  private static let mostNames = 5

  /// The encoding that was assumed.
  static func encoding(_ label: String) -> String {
    "the encoding is \(label), as the bytes are not UTF-8"
  }

  /// The columns of coordinates, if the request didn't name them and their names are unusual.
  static func columns(
    _ coordinates: CoordinateColumns, _ heading: TableHeading, _ options: TableOptions
  ) -> [String] {
    switch coordinates {
    case .axes(let longitude, let latitude):
      let isUsual = [longitude, latitude].allSatisfy {
        CoordinateName(heading.written[$0]).axis?.kind == .name
      }
      guard options.longitude == nil, !isUsual else { return [] }
      return [
        "longitudes are in the column \(heading.shown(longitude)), latitudes in \(heading.shown(latitude))"
      ]
    case .geometry(let column):
      guard options.geometry == nil else { return [] }
      let isTurned = CoordinateName(heading.written[column]).order.first == .longitude
      return [
        "points are in the column \(heading.shown(column))" + (isTurned ? ", longitudes first" : "")
      ]
    }
  }

  /// The columns of minutes and seconds.
  static func angles(_ columns: AngleColumns, _ heading: TableHeading) -> [String] {
    let all = columns.all
    return all.isEmpty
      ? [] : ["minutes and seconds of degrees are in the columns \(heading.listed(all))"]
  }

  /// The columns of letters that say on which side of the equator and of Greenwich degrees are.
  static func hemispheres(_ columns: HemisphereColumns, _ heading: TableHeading) -> [String] {
    switch (columns.latitude.map(heading.shown), columns.longitude.map(heading.shown)) {
    case (let latitude?, let longitude?):
      ["the columns \(latitude) and \(longitude) are the hemispheres of latitudes and longitudes"]
    case (let latitude?, nil): ["the column \(latitude) holds the hemispheres of latitudes"]
    case (nil, let longitude?): ["the column \(longitude) holds the hemispheres of longitudes"]
    case (nil, nil): []
    }
  }

  /// Names that appear twice.
  static func renamed(_ heading: TableHeading) -> [String] {
    let notes = heading.renamed.prefix(mostNames).map { column in
      "the name \(TableText.quoted(heading.written[column])) appears twice: the later column is "
        + heading.shown(column)
    }
    let rest = heading.renamed.count - mostNames
    return notes + (rest > 0 ? ["\(rest) more names appear twice"] : [])
  }

  /// Notes on the fields of the columns.
  static func fields(
    _ plan: TablePlan, _ kinds: [ColumnKinds], ids: ColumnKinds, unique: UniqueColumns.Finding?
  ) -> [String] {
    var notes: [String] = []
    if !plan.isDecimalGiven, plan.decimal == UInt8(ascii: ",") {
      notes.append("numbers have a comma before their decimals")
    }
    func note(_ columns: [Int], _ text: (_ names: String, _ isMany: Bool) -> String) {
      guard !columns.isEmpty else { return }
      let names = TableText.listed(columns, atMost: mostNames, plan.heading.shown)
      let isMany = columns.count > 1
      notes.append(text("the column\(isMany ? "s" : "") \(names)", isMany))
    }
    let columns = kinds.indices.filter { !plan.properties[$0].isEmpty && !plan.isText[$0] }
    let mixed = columns.filter { kinds[$0].areMixed(decimal: plan.decimal) }
    note(mixed.filter { !plan.isNumbers[$0] }) {
      "\($0) hold\($1 ? "" : "s") numbers and texts, so all in \($1 ? "them" : "it") is text"
    }
    note(mixed.filter { plan.isNumbers[$0] }) {
      "texts came late in \($0), which hold\($1 ? "" : "s") numbers before: text says that all is text"
    }
    let numbers = ColumnKinds.numbers(decimal: plan.decimal).union(.quoted)
    note(columns.filter { kinds[$0].contains(.quoted) && kinds[$0].isSubset(of: numbers) }) {
      names, _ in "numbers in quotes are texts, in \(names)"
    }
    if let id = plan.id, ids.contains(.text), ids.contains(.whole), !plan.isText[id] {
      notes.append(
        plan.idsAreText
          ? "the ids in the column \(plan.heading.shown(id)) are texts, as some are no integers"
          : "ids that are no integers came late in the column \(plan.heading.shown(id))")
    }
    if plan.wantsID, let unique {
      let name = plan.heading.shown(unique.column)
      notes.append(
        "the ids are made up, though the column \(name) holds another value in "
          + (unique.isAll ? "each line" : "each of the first \(unique.lines) lines")
          + ": it can be the idProperty")
    }
    return notes
  }
}
