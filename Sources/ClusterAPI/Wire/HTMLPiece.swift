/// A piece of a page as a literal of the program, in which the values are escaped: `"<b>\(title)</b>"`.
struct HTMLPiece: ExpressibleByStringInterpolation {
  let bytes: [UInt8]

  init(stringLiteral marks: String) { bytes = Array(marks.utf8) }

  init(stringInterpolation: StringInterpolation) { bytes = stringInterpolation.html.bytes }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var html: HTMLWriter

    init(literalCapacity: Int, interpolationCount: Int) {
      html = HTMLWriter(reserving: literalCapacity + interpolationCount * 32)
    }

    mutating func appendLiteral(_ marks: String) { html.bytes += marks.utf8 }

    mutating func appendInterpolation(_ text: String) { html.text(text) }

    mutating func appendInterpolation(_ number: Int) { html.text("\(number)") }
  }
}
