import CHints

extension PropertyColumn {
  /// Reads a property of every feature of an index. O(the bytes of all properties).
  public convenience init(
    named name: [UInt8], of index: FeatureIndex, decoder: some PropertyDecoder
  ) {
    var builder = PropertyColumnBuilder(count: index.count)
    for place in 0..<index.count {
      index.prefetchRecord(at: place + PropertyColumn.ahead)
      decoder.withValue(of: name, in: index.record(at: place).properties) {
        builder.append($0)
      }
    }
    self.init(builder)
  }

  /// The column of a changed index: the values of another column where features stayed, and those
  /// that are read from the new ones.
  convenience init(
    carrying old: PropertyColumn, along runs: [CarriedRun], named name: [UInt8],
    of index: FeatureIndex, decoder: any PropertyDecoder
  ) {
    var builder = PropertyColumnBuilder(count: index.count, dictionary: old.dictionary)
    for run in runs {
      if let origin = run.origin {
        builder.append(old, origin..<origin + run.places.count)
        continue
      }
      for place in run.places {
        decoder.withValue(of: name, in: index.record(at: place).properties) {
          builder.append($0)
        }
      }
    }
    let column = builder.column(livingEntries: old.livingEntries)
    self.init(column.mayHoldDeadEntries ? column.withoutDeadEntries() : column)
  }

  private static let ahead = 8

  private convenience init(_ builder: PropertyColumnBuilder) { self.init(builder.column()) }

  private convenience init(_ other: PropertyColumn) {
    self.init(
      count: other.count, codes: other.codes, doubles: other.doubles,
      dictionary: other.dictionary, livingEntries: other.livingEntries)
  }

  /// Whether the dictionary is large and has doubled since it was last known which of its entries are
  /// in a feature.
  private var mayHoldDeadEntries: Bool {
    dictionary.byteCount > PropertyColumn.smallDictionary && entryCount >= 2 * livingEntries
  }

  /// The column as it is, or with another dictionary if half of it is in no feature any more.
  private func withoutDeadEntries() -> PropertyColumn {
    guard let codes else { return self }
    // A code's new code; 0 as long as it isn't met.
    var renamed = [Code](repeating: 0, count: Int(PropertyColumn.firstEntry) + entryCount)
    var living = 0
    for place in 0..<count {
      let code = Int(codes.pointer[place])
      if renamed[code] == 0 {
        renamed[code] = 1
        living += code >= PropertyColumn.firstEntry ? 1 : 0
      }
    }
    guard living <= entryCount / 2 else {
      return PropertyColumn(
        count: count, codes: codes, doubles: doubles, dictionary: dictionary,
        livingEntries: living)
    }
    let fresh = ByteDictionary()
    for code in PropertyColumn.firstEntry..<Code(renamed.count) where renamed[Int(code)] != 0 {
      let number = fresh.add(bytes(ofEntry: code), flag: !isString(entry: code))
      renamed[Int(code)] = PropertyColumn.firstEntry + Code(number)
    }
    for code in 0..<PropertyColumn.firstEntry { renamed[Int(code)] = code }
    let newCodes = FixedArray<Code>(uninitialized: count)
    for place in 0..<count { newCodes.pointer[place] = renamed[Int(codes.pointer[place])] }
    return PropertyColumn(
      count: count, codes: newCodes, doubles: doubles, dictionary: fresh, livingEntries: living)
  }

  /// A dictionary that isn't worth looking through, in bytes.
  private static let smallDictionary = 256 << 10
}

extension FeatureIndex {
  /// Asks for a record's memory, if there is such a place.
  @inline(__always)
  func prefetchRecord(at place: Int) {
    guard place < count else { return }
    let base = record(at: place).base
    chints_prefetch(base)
    chints_prefetch(base + 64)
    chints_prefetch(base + 128)
  }
}
