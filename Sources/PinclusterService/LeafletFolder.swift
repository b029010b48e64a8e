import ClusterAPI
import Glibc

/// The folder in which Leaflet, the library of the map page, is installed.
enum LeafletFolder {
  /// Where Debian's libjs-leaflet puts it.
  static let usual = "/usr/share/javascript/leaflet"
  /// The longest file that is read, in bytes.
  private static let longest = 4 << 20

  /// The bytes of the files that the service serves, as far as they are there. A minified script counts first.
  // Characters: names of files of the program
  static func read(_ folder: String) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]  // Characters: names of files of the program
    for name in MapSettings.leafletNames {
      let minified = name == "leaflet.js" ? "leaflet.min.js" : name
      files[name] = bytes("\(folder)/\(minified)") ?? bytes("\(folder)/\(name)")
    }
    for name in MapSettings.leafletImages { files[name] = bytes("\(folder)/images/\(name)") }
    return files
  }

  /// The bytes of a file; nil if it can't be read, or is too long.
  private static func bytes(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var status = stat()
    guard fstat(fileno(file), &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      (1...longest).contains(Int(status.st_size))
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    return fread(&bytes, 1, bytes.count, file) == bytes.count ? bytes : nil
  }
}
