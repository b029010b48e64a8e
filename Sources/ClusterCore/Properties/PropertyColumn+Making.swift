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
  ///
  /// - Parameters:
  ///   - origins: for each place of the changed index the place in the old one, `UInt32.max` of a
  ///     new feature.
  convenience init(
    carrying old: PropertyColumn, origins: FixedArray<UInt32>, named name: [UInt8],
    of index: FeatureIndex, decoder: any PropertyDecoder
  ) {
    var builder = PropertyColumnBuilder(count: index.count, dictionary: old.dictionary)
    for place in 0..<index.count {
      let origin = origins.pointer[place]
      if origin == .max {
        decoder.withValue(of: name, in: index.record(at: place).properties) {
          builder.append($0)
        }
        continue
      }
      let code = old.code(at: Int(origin))
      if code == PropertyColumn.number {
        builder.append(number: old.number(at: Int(origin)))
      } else {
        builder.append(code: code)
      }
    }
    self.init(builder.column().withoutDeadEntries())
  }

  private static let ahead = 8

  private convenience init(_ builder: PropertyColumnBuilder) { self.init(builder.column()) }

  private convenience init(_ other: PropertyColumn) {
    self.init(
      count: other.count, codes: other.codes, doubles: other.doubles, dictionary: other.dictionary)
  }

  /// The column as it is, or with a dictionary of its own if that is large and most of it in no
  /// feature any more.
  private func withoutDeadEntries() -> PropertyColumn {
    guard dictionary.byteCount > PropertyColumn.smallDictionary, let codes else { return self }
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
    guard living < entryCount / 2 else { return self }
    let fresh = ByteDictionary()
    for code in PropertyColumn.firstEntry..<Code(renamed.count) where renamed[Int(code)] != 0 {
      let number = fresh.add(bytes(ofEntry: code), flag: !isString(entry: code))
      renamed[Int(code)] = PropertyColumn.firstEntry + Code(number)
    }
    for code in 0..<PropertyColumn.firstEntry { renamed[Int(code)] = code }
    let newCodes = FixedArray<Code>(uninitialized: count)
    for place in 0..<count { newCodes.pointer[place] = renamed[Int(codes.pointer[place])] }
    return PropertyColumn(count: count, codes: newCodes, doubles: doubles, dictionary: fresh)
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
