extension UnsafeRawBufferPointer {
  /// Whether the bytes are valid UTF-8. Eight bytes are checked at a time as long as they are ASCII.
  var isUTF8: Bool {
    var offset = 0
    while offset + 8 <= count,
      loadUnaligned(fromByteOffset: offset, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
    { offset += 8 }
    let rest = self[offset...]
    return rest.allSatisfy { $0 < 0x80 } || String(validating: rest, as: UTF8.self) != nil
  }
}
