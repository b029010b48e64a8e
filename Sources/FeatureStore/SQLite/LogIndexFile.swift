import Glibc

/// The file of the index of a write-ahead log, `pincluster.db-shm`, which SQLite maps into memory. SQLite takes room for it by
/// writing one byte in each 4 KiB (unixShmMap in os_unix.c). Where blocks are smaller that leaves holes, and on a full disk a
/// store into a hole ends the process. So there room is taken for it before.
enum LogIndexFile {
  /// The size of the smallest blocks of which SQLite leaves none out, in bytes.
  private static let wholeBlock: UInt = 4096
  /// The file grows by so many bytes at a time, each for so many pages in the log (walIndexPage in wal.c).
  private static let (region, pages) = (32 << 10, 4096)

  private static func hasSmallBlocks(_ directory: String) -> Bool {
    var status = statvfs()
    return statvfs(directory, &status) == 0 && status.f_bsize < wholeBlock
  }

  /// Refuses to open a database that has no such file on a disk without room for one.
  static func checkRoom(besides database: String) throws(StoreError) {
    let directory = DataDirectory.parent(of: database)
    guard hasSmallBlocks(directory) else { return }
    var status = stat()
    if stat(database + "-shm", &status) == 0, status.st_size >= region,
      Int(status.st_blocks) * 512 >= Int(status.st_size)
    {
      return
    }
    guard DataDirectory.free(in: directory) >= 2 * region else {
      throw .full(reason: "\(database)-shm: \(message(errno: ENOSPC))")
    }
  }

  /// Takes room for the index of a log that fills the disk. The database must be in use.
  ///
  /// The descriptor stays open until the process ends: to close it would release the locks that SQLite has on the file.
  static func reserve(besides database: String) throws(StoreError) {
    let directory = DataDirectory.parent(of: database)
    guard hasSmallBlocks(directory) else { return }
    let descriptor = open(database + "-shm", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    let regions = DataDirectory.free(in: directory) / (pages * DatabaseFile.pageSize) + 2
    let number = posix_fallocate(descriptor, 0, off_t(min(regions, 4096) * region))
    guard number == 0 else { throw .full(reason: "\(database)-shm: \(message(errno: number))") }
  }
}
