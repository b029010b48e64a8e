import GeoFormats
import Glibc
import Texts

/// A zip archive, by its central directory (APPNOTE.TXT 6.3.10 of PKWARE, sections 4.3.7, 4.3.12 and 4.3.16). Of one that can't
/// be read, or is larger than 4 GB, it has no members.
struct ZipFile {
  /// A file in an archive.
  struct Member {
    /// How its bytes are kept.
    enum Method: Int {
      case stored = 0
      case deflated = 8
    }

    /// Its name, with its folders.
    let name: String
    /// Nil for any other, and for one that is encrypted.
    let method: Method?
    let checksum: Int
    /// Its size in the archive and by itself, in bytes, and where it begins.
    let (packed, size, offset): (Int, Int, Int)

    /// Its name without its folders, and without the ending.
    fileprivate var file: Substring { name.parts(separatedBy: UInt8(ascii: "/")).last ?? "" }
    fileprivate var stem: String {
      let parts = file.parts(separatedBy: UInt8(ascii: "."))
      return parts.count > 1 ? parts.dropLast().joined(separator: ".") : String(file)
    }
    fileprivate var isText: Bool { name.lowercasedASCII.ends(with: ".txt") }
  }

  /// A directory is no longer, in bytes.
  private static let longestDirectory = 16 << 20
  /// The end of a directory without its comment, which has at most 64 KiB, an entry without its name, and the same before a
  /// member.
  private static let (endSize, entrySize, headSize) = (22, 46, 30)
  private static let shownMembers = 20

  let path: String
  /// Its files, without those that hold what macOS knows of others.
  let members: [Member]

  init(_ path: String) {
    self.path = path
    members = ZipFile.members(of: path).filter {
      !$0.name.begins(with: "__MACOSX/") && !$0.name.ends(with: "/") && !$0.file.begins(with: ".")
    }
  }

  /// The folder that holds all files, or the innermost of several; empty if there is none.
  var folder: String {
    var common: ArraySlice<Substring>?
    for member in members {
      let folders = member.name.parts(separatedBy: UInt8(ascii: "/")).dropLast()
      common =
        common.map { common in
          common.prefix(zip(common, folders).prefix { $0.isSame(as: $1) }.count)
        } ?? folders
    }
    return common?.joined(separator: "/") ?? ""
  }

  /// Chooses the member that this program reads by itself; nil if there is none, or the archive is GDAL's.
  ///
  /// - Parameters:
  ///   - layer: the name of the member, or the part before its ending; nil for the only one.
  ///   - format: its format; nil for that of its name.
  /// - Throws: ``CommandFailure`` if there are several, or none of that name.
  func member(
    layer: String?, format: FeatureFormat?
  ) throws(CommandFailure) -> (member: Member, format: FeatureFormat)? {
    let isForeign = members.contains { member in
      GDALFile.endings.contains { member.name.lowercasedASCII.ends(with: ".\($0)") }
    }
    guard !isForeign || format != nil else { return nil }
    var known = members.compactMap { member in
      (FeatureFormat(fileName: member.name) ?? (member.isText ? .csv : nil)).map { (member, $0) }
    }
    if let format {
      known.removeAll { $0.1 != format }
      if known.isEmpty { known = members.map { ($0, format) } }
    }
    let found = known.filter { (member, _) in
      layer.map { layer in
        [member.name, String(member.file), member.stem].contains { $0.isSame(as: layer) }
      } ?? true
    }
    // Such a text describes the others.
    let tables = layer == nil ? found.filter { !$0.0.isText } : []
    let chosen = tables.isEmpty ? found : tables
    if chosen.count == 1 { return chosen[0].0.method == nil ? nil : chosen[0] }
    guard !known.isEmpty else { return nil }
    let names =
      (chosen.isEmpty ? known : chosen).map(\.0.name).prefix(ZipFile.shownMembers)
      .joined(separator: ", ") + (known.count > ZipFile.shownMembers ? " and others" : "")
    throw CommandFailure(
      chosen.isEmpty
        ? "\(path) has no layer \(layer ?? ""); it has \(names)"
        : "\(path) has several layers; choose one with --layer: \(names)")
  }

  /// The place in the archive's file where the bytes of a member begin; nil if it isn't there.
  static func start(of member: Member, in descriptor: Int32) -> Int? {
    let head = bytes(of: descriptor, from: member.offset, count: headSize)
    guard head.count == headSize, number(head, 0, 4) == 0x0403_4B50 else { return nil }
    return member.offset + headSize + number(head, 26, 2) + number(head, 28, 2)
  }

  private static func members(of path: String) -> [Member] {
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
    var members: [Member] = []
    var next = 0
    while next + entrySize <= directory.count, number(directory, next, 4) == 0x0201_4B50 {
      func field(_ offset: Int, _ count: Int) -> Int { number(directory, next + offset, count) }
      let name = directory[(next + entrySize)...].prefix(field(28, 2))
      let (packed, size, offset) = (field(20, 4), field(24, 4), field(42, 4))
      // Bit 0 is encryption. A size of 4 GB stands elsewhere.
      let isPlain = field(8, 2) & 1 == 0 && ![packed, size, offset].contains(0xFFFF_FFFF)
      members.append(
        Member(
          name: String(decoding: name, as: UTF8.self),
          method: isPlain ? Member.Method(rawValue: field(10, 2)) : nil, checksum: field(16, 4),
          packed: packed, size: size, offset: offset))
      next += entrySize + name.count + field(30, 2) + field(32, 2)
    }
    return members
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
