import ClusterCore
import GeoFormats

extension Export {
  /// Writes features as the lines of a file.
  struct Lines {
    private(set) var file: OutputFile
    private(set) var table: CSVWriter?
    private(set) var count = 0
    private var writer = JSONWriter(reserving: 1 << 16)
    private let tellsNever: Bool

    /// - Parameters:
    ///   - table: writes the lines of a table; nil for GeoJSON.
    ///   - tellsNever: whether features without an expiry say so.
    init(file: OutputFile, table: CSVWriter?, tellsNever: Bool) {
      (self.file, self.table, self.tellsNever) = (file, table, tellsNever)
    }

    /// Writes a batch.
    mutating func write(_ batch: FeatureBatch) throws {
      for index in 0..<batch.count {
        batch.withRecord(at: index) { record in
          guard table == nil else {
            table?.write(record)
            return
          }
          writer.feature(record, tellsNever: tellsNever)
          writer.newline()
        }
        if index % 256 == 255 { try flush() }
      }
      count += batch.count
      try flush()
    }

    /// Writes what is left, such as the header of a table without features.
    mutating func flush() throws {
      try writer.withBytes { try file.write($0) }
      writer.removeAll()
      try table?.take { try file.write($0) }
    }
  }
}
