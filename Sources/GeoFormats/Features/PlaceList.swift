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
  private static let deepest = 4
  /// The most arrays and objects that are looked at.
  private static let mostLooks = 100

  /// A JSON pointer to it, such as `/data/stations`, with a slash behind it.
  var prefix: String { path.reduce("/") { $0 + PlaceList.shown($1) + "/" } }

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

  /// Whether the first elements of a list are places: one of an array, two values of an object.
  typealias Look = (_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer?) -> Bool

  /// The lists of a document whose root is an object, by its beginning. Linear.
  static func all(in bytes: UnsafeRawBufferPointer, arePlaces: Look) -> [PlaceList] {
    withoutActuallyEscaping(arePlaces) { look in
      var search = Search(bytes: bytes, look: look)
      search.skip { $0 != UInt8(ascii: "{") }
      _ = search.readObject(path: [])
      return search.found
    }
  }

  /// A walk through the objects of a document.
  private struct Search {
    let bytes: UnsafeRawBufferPointer
    let look: Look
    var found: [PlaceList] = []
    private var index = 0
    private var looks = 0

    init(bytes: UnsafeRawBufferPointer, look: @escaping Look) {
      self.bytes = bytes
      self.look = look
    }

    mutating func skip(while isLeft: (UInt8) -> Bool) {
      while index < bytes.count, isLeft(bytes[index]) { index += 1 }
    }

    /// Steps over a byte and white space before it; false if another one is there.
    private mutating func take(_ byte: UInt8) -> Bool {
      skip(while: JSONText.isSpace)
      guard index < bytes.count, bytes[index] == byte else { return false }
      index += 1
      return true
    }

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

    private func isObject(at index: Int) -> Bool {
      index < bytes.count && bytes[index] == UInt8(ascii: "{")
    }

    private mutating func arePlaces(_ first: Range<Int>, _ second: Range<Int>? = nil) -> Bool {
      guard looks < PlaceList.mostLooks else { return false }
      looks += 1
      return look(
        UnsafeRawBufferPointer(rebasing: bytes[first]),
        second.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) })
    }

    /// Reads an object, from its opening bracket on. Returns false if the bytes end within it, or are no JSON.
    mutating func readObject(path: [[UInt8]]) -> Bool {
      let start = index
      var members = 0
      var first: Range<Int>?
      guard take(UInt8(ascii: "{")) else { return false }
      while !take(UInt8(ascii: "}")) {
        guard members == 0 || take(UInt8(ascii: ",")) else { return false }
        guard let name = takeValue(), bytes[name.lowerBound] == UInt8(ascii: "\""),
          take(UInt8(ascii: ":"))
        else { return false }
        skip(while: JSONText.isSpace)
        let valueStart = index
        if isObject(at: index), members < 2 {
          let value = takeValue()
          if members == 0 { first = value }
          if members == 1, let first, let value, arePlaces(first, value) {
            found.append(PlaceList(path: path, start: start, isObject: true))
            index = start
            return takeValue() != nil
          }
        }
        members += 1
        let path =
          path + [JSONScanner.unescape(UnsafeRawBufferPointer(rebasing: bytes[name]))]
        index = valueStart
        if isObject(at: index), path.count < PlaceList.deepest {
          guard readObject(path: path) else { return false }
          continue
        }
        if take(UInt8(ascii: "[")) {
          skip(while: JSONText.isSpace)
          if isObject(at: index), let element = takeValue(), arePlaces(element) {
            found.append(PlaceList(path: path, start: valueStart, isObject: false))
          }
          index = valueStart
        }
        guard takeValue() != nil else { return false }
      }
      return true
    }
  }
}
