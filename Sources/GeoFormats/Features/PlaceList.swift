internal import Texts

/// Where a JSON document that is no GeoJSON holds its places: in a list that is its root or a member, such as that of
/// `{"data": {"stations": [{"lat": …` or in an object that holds a place under each name.
struct PlaceList {
  /// The names of the members that lead to it.
  let path: [[UInt8]]
  /// The index of its opening bracket.
  let start: Int
  /// Whether it is an object.
  let isObject: Bool

  /// The list that is a document's root.
  static let root = PlaceList(path: [], start: 0, isObject: false)

  /// The deepest object that may hold the list, the root being the first.
  static let deepest = 4
  /// The most values that are looked at in one array or object, and in all.
  private static let (mostFirst, mostLooks) = (10, 500)

  /// A JSON pointer to it, such as `/data/stations`, with a slash behind it.
  var prefix: String { path.reduce("/") { $0 + PlaceList.shown($1) + "/" } }

  /// Whether a JSON pointer, with or without its first slash, leads to it.
  func isNamed(_ pointer: String) -> Bool {
    let own = prefix.dropFirst().dropLast()
    return own.isSame(as: pointer) || "/\(own)".isSame(as: pointer)
  }

  /// A name as a part of a pointer, shortened.
  static func shown(_ name: [UInt8]) -> String {
    String(decoding: name.prefix(400), as: UTF8.self).shortened(to: 100).escaped { byte in
      switch byte {
      case UInt8(ascii: "~"): "~0"
      case UInt8(ascii: "/"): "~1"
      default: nil
      }
    }
  }

  /// The kind of a value by itself.
  enum Kind: Equatable { case feature, place(PlaceMembers) }

  /// The lists of a document.
  struct Finding {
    /// Those with a place or Feature among their first elements.
    var lists: [PlaceList] = []
    /// The first without elements, and whether there are others without places.
    var empty: PlaceList?
    var hasOthers = false
  }

  /// Looks for the lists of a document whose root is an object, in its beginning. Linear.
  static func find(
    in bytes: UnsafeRawBufferPointer, look: (UnsafeRawBufferPointer) -> Kind?
  ) -> Finding {
    withoutActuallyEscaping(look) { look in
      var search = Search(bytes: bytes, look: look)
      search.skip { $0 != UInt8(ascii: "{") }
      _ = search.readObject(path: [])
      return search.found
    }
  }

  /// A walk through the objects of a document.
  private struct Search {
    let bytes: UnsafeRawBufferPointer
    let look: (UnsafeRawBufferPointer) -> Kind?
    var found = Finding()
    var index = 0
    var looks = 0

    mutating func skip(while isLeft: (UInt8) -> Bool) {
      while index < bytes.count, isLeft(bytes[index]) { index += 1 }
    }

    /// Steps over a byte and white space before it; false if another one is there.
    private mutating func take(_ byte: UInt8) -> Bool {
      skip(while: JSONText.isSpace)
      guard isAt(byte) else { return false }
      index += 1
      return true
    }

    private func isAt(_ byte: UInt8) -> Bool { index < bytes.count && bytes[index] == byte }

    /// Steps over a value and white space before it; nil if the bytes end within it.
    private mutating func takeValue() -> Range<Int>? {
      skip(while: JSONText.isSpace)
      let start = index
      guard start < bytes.count, ElementScanner.canBegin(bytes[start]) else { return nil }
      var element = ElementScanner()
      element.begin(bytes[start])
      let end = element.scan(bytes, from: start + 1)
      guard element.isComplete else { return nil }
      index = end
      return start..<end
    }

    /// The kind of a value; nil if it is no object.
    private mutating func kind(of value: Range<Int>) -> Kind? {
      guard bytes[value.lowerBound] == UInt8(ascii: "{"), looks < PlaceList.mostLooks else {
        return nil
      }
      looks += 1
      return look(UnsafeRawBufferPointer(rebasing: bytes[value]))
    }

    /// Calls `body` with the name of each member of an object, to step over its value. Returns false if the bytes end
    /// within it, are no JSON, or `body` does.
    private mutating func readMembers(_ body: (inout Search, [UInt8]) -> Bool) -> Bool {
      guard take(UInt8(ascii: "{")) else { return false }
      var isFirst = true
      while !take(UInt8(ascii: "}")) {
        guard isFirst || take(UInt8(ascii: ",")), let name = takeValue(),
          bytes[name.lowerBound] == UInt8(ascii: "\""), take(UInt8(ascii: ":"))
        else { return false }
        isFirst = false
        skip(while: JSONText.isSpace)
        let text = JSONScanner.unescape(UnsafeRawBufferPointer(rebasing: bytes[name]))
        guard body(&self, text) else { return false }
      }
      return true
    }

    /// Reads an object, from its opening bracket on. Returns false if the bytes end within it, or are no JSON.
    mutating func readObject(path: [[UInt8]]) -> Bool {
      let start = index
      if holdsPlaces() {
        found.lists.append(PlaceList(path: path, start: start, isObject: true))
        index = start
        return takeValue() != nil
      }
      index = start
      let before = found.lists.count
      guard readMembers({ $0.readMember(path: path + [$1]) }) else { return false }
      // A place may hold lists of others.
      if found.lists.count > before, case .place(let own)? = kind(of: start..<index), own.isOwn {
        found.lists.removeSubrange(before...)
      }
      return true
    }

    /// Whether an object is a list: its first members are places of one kind, or its only member is one, which has a name.
    private mutating func holdsPlaces() -> Bool {
      var (names, kinds): ([[UInt8]], [Kind]) = ([], [])
      let isWhole = readMembers { search, name in
        let isObject = search.isAt(UInt8(ascii: "{"))
        guard isObject || !names.isEmpty || search.isAt(UInt8(ascii: "n")),
          names.count < PlaceList.mostFirst, let value = search.takeValue()
        else { return false }
        names.append(name)
        if let kind = search.kind(of: value) { kinds.append(kind) }
        return true
      }
      guard !names.allSatisfy(CoordinateName.isCorner) else { return false }
      if names.count > 1 { return kinds.indices.contains { kinds[..<$0].contains(kinds[$0]) } }
      guard isWhole, let kind = kinds.first else { return false }
      guard case .place(let members) = kind else { return true }
      return !CoordinateName.isWrapper(names[0])
        && members.path.allSatisfy(CoordinateName.isWrapper)
    }

    private mutating func readMember(path: [[UInt8]]) -> Bool {
      let start = index
      if isAt(UInt8(ascii: "{")), path.count < PlaceList.deepest { return readObject(path: path) }
      if take(UInt8(ascii: "[")) {
        let list = PlaceList(path: path, start: start, isObject: false)
        skip(while: JSONText.isSpace)
        if isAt(UInt8(ascii: "]")) {
          found.empty = found.empty ?? list
        } else if hasPlace() {
          found.lists.append(list)
        } else {
          found.hasOthers = true
        }
        index = start
      }
      return takeValue() != nil
    }

    /// Whether a place is among the first elements of an array.
    private mutating func hasPlace() -> Bool {
      for _ in 0..<PlaceList.mostFirst {
        guard let element = takeValue() else { return false }
        if kind(of: element) != nil { return true }
        guard take(UInt8(ascii: ",")) else { return false }
      }
      return false
    }
  }
}
