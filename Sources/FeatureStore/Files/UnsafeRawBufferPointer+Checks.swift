import CDeflate

extension UnsafeRawBufferPointer {
  /// The CRC-32 of the bytes after others with a checksum of `start`.
  func crc32(after start: UInt32 = 0) -> UInt32 {
    // libdeflate returns its initial value for a null pointer.
    isEmpty ? start : libdeflate_crc32(start, baseAddress, count)
  }

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
