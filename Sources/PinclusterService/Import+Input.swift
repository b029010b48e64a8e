import CZlib
import GeoFormats
import Glibc
import Texts

extension Import {
  /// A file, standard input, or the output of a program that converts a file, read in chunks. Gzip is inflated.
  struct Input: ~Copyable {
    private let path: String
    /// The program that reads the file, and its arguments; nil for the file itself.
    private let arguments: [String]?
    private var program: ChildProgram?
    private var descriptor: Int32 = -1
    /// The file of a zip archive that is read; nil for the whole.
    private let member: ZipFile.Member?
    /// The CRC-32 of what has come of that, and its size.
    private var sum: (UInt, size: Int) = (0, 0)
    private var buffer = [UInt8](repeating: 0, count: 1 << 20)
    private var inflater: Inflater?
    /// Makes a table of what the program writes, if that isn't one.
    private var rows: TableRows?
    /// The format of the input.
    let format: FeatureFormat
    /// The size in bytes; nil if it is not known.
    let size: Int?
    /// The number of features; nil if it is not known.
    let count: Int?
    /// Whether what a program can't read of a file is noted, rather than an error.
    private var isLenient = false
    /// The number of lines that a program has written.
    private var lines = 0
    /// The assumptions.
    private(set) var notes: [String]
    /// The number of bytes that have been read.
    private(set) var position = 0
    /// Bytes that come before the others, such as those that come again, and how many have come.
    private var ahead: [UInt8] = []
    private var taken = 0

    /// Begins to read what GDAL makes of a file.
    ///
    /// - Parameter isLenient: whether what it can't read is noted, rather than an error.
    init(_ file: GDALFile, _ conversion: GDALFile.Conversion, isLenient: Bool) throws {
      (path, arguments, format, member) =
        (file.path, conversion.arguments, conversion.format, nil)
      rows = conversion.rows
      (size, count, notes) = (nil, conversion.count, conversion.notes)
      self.isLenient = isLenient
      try start()
    }

    /// Opens a file, or standard input if the path is "-"; or a file within an archive, which has to be rewound first.
    init(
      path: String, _ format: FeatureFormat, member: ZipFile.Member? = nil
    ) throws(Failure) {
      let isStandard = path.isSame(as: "-")
      let descriptor = isStandard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw Failure("\(path) cannot be opened", errno) }
      var status = stat()
      let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      size = member?.packed ?? (isFile ? Int(status.st_size) : nil)
      (self.path, self.descriptor, arguments, self.format) = (path, descriptor, nil, format)
      (self.member, count, notes) = (member, nil, [])
    }

    deinit { if descriptor > STDIN_FILENO { close(descriptor) } }

    /// Whether it comes from a program.
    var isConverted: Bool { arguments != nil }

    /// Whether the input can be read again.
    var canRewind: Bool { arguments != nil || (size != nil && !path.isSame(as: "-")) }

    /// A problem as people may find it: a line of what ogr2ogr writes is nothing that anyone sees.
    func shown(_ problem: FeatureProblem) -> FeatureProblem {
      guard arguments != nil, format == .geoJSONSequence,
        let number = problem.pointer.after("/lines/")
      else { return problem }
      let ending = path.lowercasedASCII
      let isOfShape = [".shp", ".dbf", ".shz", ".zip"].contains(where: ending.ends)
      let hint =
        isOfShape && problem.detail.holds("isn't UTF-8")
        ? ": windows-1252? (--encoding windows-1252)" : ""
      return FeatureProblem(pointer: "feature \(number)", detail: problem.detail + hint)
    }

    /// Returns to the beginning.
    mutating func rewind() throws {
      if arguments != nil { return try start() }
      guard let start = member.map({ ZipFile.start(of: $0, in: descriptor) }) ?? 0 else {
        throw damage()
      }
      guard lseek(descriptor, off_t(start), SEEK_SET) >= 0 else { throw failure() }
      (position, sum) = (0, (0, 0))
      inflater = member?.method == .deflated ? try Inflater(isBare: true) : nil
    }

    private mutating func start() throws {
      guard let arguments else { return }
      (position, lines) = (0, 0)
      program = try ChildProgram(arguments)
      (ahead, taken) = (rows?.begin() ?? [], 0)
    }

    /// Puts back the first bytes of an input that can't be read twice.
    mutating func putBack(_ bytes: [UInt8]) {
      (ahead, taken) = (bytes, 0)
    }

    /// Calls `body` with the next chunk, which must not escape. Returns false at the end.
    mutating func next(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
      if taken < ahead.count {
        let part = taken..<min(ahead.count, taken + buffer.count)
        taken = part.upperBound
        try ahead.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[part])) }
        if taken == ahead.count { (ahead, taken) = ([], 0) }
        return true
      }
      let count = try fill()
      guard count > 0 else {
        try checkMember()
        guard inflater?.isComplete != false else {
          throw Failure("\(path) cannot be read: its gzip ends too early")
        }
        try checkProgram()
        return false
      }
      try buffer.withUnsafeBytes { bytes in
        let chunk = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        if arguments != nil { lines += chunk.count { $0 == 0x0A } }
        if let table = try rows?.take(chunk) { return try table.withUnsafeBytes(body) }
        func take(_ part: UnsafeRawBufferPointer) throws {
          if member != nil {
            let bytes = part.bindMemory(to: UInt8.self).baseAddress
            sum = (crc32(sum.0, bytes, UInt32(part.count)), sum.size + part.count)
          }
          try body(part)
        }
        guard let inflater else { return try take(chunk) }
        do {
          try inflater.inflate(chunk, take)
        } catch let failure as Inflater.Failure {
          let kind = member.map { "zip: \($0.name)" } ?? "gzip"
          throw Failure("\(path) cannot be read as \(kind): \(failure.reason)")
        }
      }
      return true
    }

    /// Sees whether a file of an archive was all there, as it was put there.
    private func checkMember() throws(Failure) {
      guard let member else { return }
      guard inflater?.isComplete != false, sum.0 == UInt(member.checksum), sum.size == member.size
      else { throw damage() }
    }

    private func damage() -> Failure {
      Failure("\(path) cannot be read: \(member?.name ?? "") in it is damaged")
    }

    /// Sees whether a program has read the whole file. GDAL's programs may succeed with what they could read of one that is
    /// cut off.
    private mutating func checkProgram() throws(Failure) {
      guard let program else { return }
      notes += program.notes.filter { !notes.contains($0) }  // Characters: the same texts twice
      let error = program.error
      let most = count.flatMap { lines < $0 ? $0 : nil }
      guard error != nil || most != nil else { return }
      let found =
        most.map { "of \($0.counted("feature")) in \(path) \(lines) could be read" } ?? path
      let detail = error.map { "\(found): \(program.name) says: \($0)" } ?? found
      guard isLenient else {
        throw Failure("\(detail) (--on-error skip stores what can be read)")
      }
      notes.append(detail)
    }

    /// Reads the next bytes, the first ones as far as they tell whether it is gzip. Returns how many there are.
    private mutating func fill() throws -> Int {
      let isFirst = position == 0
      var count = 0
      repeat {
        let more = try readMore(at: count)
        if more == 0 { break }
        count += more
      } while isFirst && count < Inflater.mark.count
      position += count
      if isFirst, program == nil, member == nil, buffer.starts(with: Inflater.mark),
        count >= Inflater.mark.count
      {
        inflater = try Inflater()
      }
      return count
    }

    private mutating func readMore(at start: Int) throws -> Int {
      while true {
        // A signal that came since the last look wouldn't interrupt what waits for input.
        try StopSignal.check()
        let count = try buffer.withUnsafeMutableBytes { bytes in
          let left = member.map { $0.packed - position - start } ?? bytes.count
          let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[start...].prefix(left))
          guard let program else { return Glibc.read(descriptor, rest.baseAddress, rest.count) }
          do { return try program.read(into: rest) } catch let failure as Failure
            where program.stoppedEarly
          {
            throw Failure("\(path): \(failure) (--on-error skip stores what can be read)")
          }
        }
        if count >= 0 { return count }
        guard errno == EINTR else { throw failure() }
      }
    }

    private func failure() -> Failure {
      Failure("\(path) cannot be read", errno)
    }
  }
}
