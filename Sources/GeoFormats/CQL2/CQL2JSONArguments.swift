/// The arguments of an operator in CQL2 JSON.
struct CQL2JSONArguments {
  let list: [JSONValue]
  let pointer: String

  /// An argument, and where it is.
  struct Element {
    let value: JSONValue
    fileprivate let list: String
    fileprivate let index: Int

    /// Only errors tell it.
    var pointer: String { "\(list)/\(index)" }
  }

  init(_ array: JSONValue, at pointer: String) {
    list = Array(array.elements)
    self.pointer = pointer
  }

  subscript(index: Int) -> Element { Element(value: list[index], list: pointer, index: index) }

  /// Throws unless there are so many.
  func check(_ count: Int) throws(CQL2Error) {
    guard list.count == count else {
      throw .json(
        pointer: pointer,
        detail:
          "there \(count == 1 ? "is one argument" : "are \(count) arguments") here, not \(list.count)"
      )
    }
  }
}
