import CDeflate
import TestSupport

extension TestResponse {
  /// The decompressed body; nil if it is not valid gzip of at most 16 MiB.
  var gunzipped: [UInt8]? {
    guard let decompressor = libdeflate_alloc_decompressor() else { return nil }
    defer { libdeflate_free_decompressor(decompressor) }
    var out = [UInt8](repeating: 0, count: 16 << 20)
    var count = 0
    let result = libdeflate_gzip_decompress(
      decompressor, body, body.count, &out, out.count, &count)
    return result == LIBDEFLATE_SUCCESS ? Array(out[..<count]) : nil
  }
}
