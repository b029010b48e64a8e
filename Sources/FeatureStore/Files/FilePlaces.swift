import Glibc

/// Notices when open files are no longer where they were opened: what is written to them then is lost.
struct FilePlaces {
  private struct Place {
    let path: String
    let device: dev_t
    let inode: ino_t

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      (self.path, device, inode) = (path, status.st_dev, status.st_ino)
    }

    var isSame: Bool {
      Place(path).map { $0.device == device && $0.inode == inode } ?? false
    }
  }

  private let places: [Place]

  /// Remembers the files at some paths, of those that there are.
  init(_ paths: [String]) { places = paths.compactMap(Place.init) }

  /// Whether all of them are there still. A system call for each.
  var areSame: Bool { places.allSatisfy(\.isSame) }
}
