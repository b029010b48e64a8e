import Glibc
import Texts

/// The names in a zip archive, by its central directory (APPNOTE.TXT 6.3.10 of PKWARE, sections 4.3.12 and 4.3.16).
enum ZipFile {
  /// A directory is no longer, in bytes.
  private static let longestDirectory = 16 << 20
  /// The end of a directory without its comment, which has at most 64 KiB, and an entry without its name.
  private static let (endSize, entrySize) = (22, 46)

  /// The folder that holds all files of an archive, or the innermost of several; empty if there is none, or none that can be
  /// told, as in an archive of more than 4 GB.
  static func folder(of path: String) -> String {
    var common: ArraySlice<Substring>?
    for name in names(in: path) where !name.begins(with: "__MACOSX/") && !name.ends(with: "/") {
      let folders = name.parts(separatedBy: UInt8(ascii: "/")).dropLast()
      common =
        common.map { common in
          common.prefix(zip(common, folders).prefix { $0.isSame(as: $1) }.count)
        } ?? folders
    }
    return common?.joined(separator: "/") ?? ""
  }

  private static func names(in path: String) -> [String] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    let size = Int(lseek(descriptor, 0, SEEK_END))
    let tail = bytes(of: descriptor, from: size - endSize - 0xFFFF, count: endSize + 0xFFFF)
    let end = stride(from: tail.count - endSize, through: 0, by: -1).first {
      number(tail, $0, 4) == 0x0605_4B50
    }
    guard let end else { return [] }
    let directory = bytes(
      of: descriptor, from: number(tail, end + 16, 4), count: number(tail, end + 12, 4))
    var names: [String] = []
    var next = 0
    while next + entrySize <= directory.count, number(directory, next, 4) == 0x0201_4B50 {
      let name = directory[(next + entrySize)...].prefix(number(directory, next + 28, 2))
      names.append(String(decoding: name, as: UTF8.self))
      next +=
        entrySize + name.count + number(directory, next + 30, 2) + number(directory, next + 32, 2)
    }
    return names
  }

  /// Bytes of a file, as far as there are so many.
  private static func bytes(of file: Int32, from offset: Int, count: Int) -> [UInt8] {
    let (start, count) = (max(offset, 0), min(count, longestDirectory))
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(pread(file, buffer.baseAddress, count, off_t(start)), 0)
    }
  }

  /// A number of some bytes, little-endian.
  private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
    bytes[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
