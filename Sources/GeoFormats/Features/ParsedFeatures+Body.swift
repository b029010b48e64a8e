extension ParsedFeatures {
  /// Reads all features of a body that is in memory as a whole. Linear.
  ///
  /// - Parameters:
  ///   - bytes: the body.
  ///   - format: its format.
  ///   - idProperty: the name of the property or column of ids; nil for `id`.
  ///   - table: what is said of it if it is a table.
  ///   - maximumLength: the maximum length of a feature, in bytes.
  ///   - room: memory for the features.
  /// - Throws: ``FormatError`` if it can't be read.
  public init(
    _ bytes: UnsafeRawBufferPointer, _ format: FeatureFormat = .geoJSON, idProperty: String? = nil,
    table: TableOptions = TableOptions(), maximumLength: Int, room: DecodingRoom = .unlimited
  ) throws(FormatError) {
    if format == .csv {
      try self.init(
        table: bytes, options: table, idProperty: idProperty, maximumLength: maximumLength,
        room: room)
      return
    }
    self.init(room: room)
    var reader = FeatureReader(
      format: format, idProperty: idProperty, options: table, maximumLength: maximumLength)
    try reader.read(bytes, into: &self)
    try reader.finish(into: &self)
  }

  /// The first bytes of a table that are surveyed before it is read. If something later contradicts them, which is
  /// rare, all of it is surveyed.
  public static let usualLook = 256 << 10

  /// Reads a table that is in memory as a whole.
  ///
  /// - Parameters:
  ///   - bytes: the table.
  ///   - options: the options of the request.
  ///   - idProperty: the name of the column of ids; nil for `id`.
  ///   - maximumLength: the maximum length of a line, and of a feature's properties as JSON, in bytes.
  ///   - room: memory for the features.
  ///   - look: the first bytes that are surveyed before it is read. The result doesn't depend on their number.
  /// - Throws: ``FormatError`` if the table has no header with points, or too little memory is left.
  public init(
    table bytes: UnsafeRawBufferPointer, options: TableOptions, idProperty: String?,
    maximumLength: Int, room: DecodingRoom, look: Int = usualLook
  ) throws(FormatError) {
    self.init(room: room)
    var isWhole = bytes.count <= look
    while true {
      var survey = TableSurvey(
        options: options, idProperty: idProperty, maximumLength: maximumLength)
      var seen = 0
      while seen < bytes.count, isWhole || seen < look || !survey.hasHead {
        let end = isWhole ? bytes.count : min(bytes.count, seen + max(look, 1))
        try survey.read(UnsafeRawBufferPointer(rebasing: bytes[seen..<end]))
        seen = end
      }
      isWhole = seen == bytes.count
      var reader = FeatureReader(
        table: try survey.finish(isWhole: isWhole, isFinal: isWhole), maximumLength: maximumLength)
      try reader.read(bytes, into: &self)
      try reader.finish(into: &self)
      guard reader.isContradicted else { return }
      self = ParsedFeatures(room: room)
      isWhole = true
    }
  }
}
