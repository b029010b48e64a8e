extension ParsedFeatures {
  /// The first bytes of a table that are surveyed before it is read. If something later contradicts them, which is
  /// rare, all of it is surveyed.
  public static let usualLook = 256 << 10

  /// Reads all features of a body that is in memory as a whole. Linear.
  ///
  /// - Parameters:
  ///   - bytes: the body.
  ///   - format: its format.
  ///   - idProperty: the name of the property or column of ids; nil for `id`.
  ///   - table: what is said of it if it is a table, or a list of places.
  ///   - maximumLength: the maximum length of a feature or line, and of a feature's properties as JSON, in bytes.
  ///   - room: memory for the features.
  ///   - look: the first bytes of a table that are surveyed before it is read. The result doesn't depend on their number.
  /// - Throws: ``FormatError`` if it can't be read.
  public init(
    _ bytes: UnsafeRawBufferPointer, _ format: FeatureFormat = .geoJSON, idProperty: String? = nil,
    table: TableOptions = TableOptions(), maximumLength: Int = FeatureReader.usualLength,
    room: DecodingRoom = .unlimited, look: Int = usualLook
  ) throws(FormatError) {
    var isWhole = bytes.count <= look
    while true {
      self.init(room: room)
      var reader: FeatureReader
      if format == .csv {
        var survey = TableSurvey(
          options: table, idProperty: idProperty, maximumLength: maximumLength)
        var seen = 0
        while seen < bytes.count, isWhole || seen < look || !survey.hasHead {
          let end = isWhole ? bytes.count : min(bytes.count, seen + max(look, 1))
          try survey.read(UnsafeRawBufferPointer(rebasing: bytes[seen..<end]))
          seen = end
        }
        isWhole = seen == bytes.count
        reader = FeatureReader(
          table: try survey.finish(isWhole: isWhole, isFinal: isWhole),
          maximumLength: maximumLength)
      } else {
        reader = FeatureReader(
          isSequence: format == .geoJSONSequence, idProperty: idProperty, options: table,
          maximumLength: maximumLength)
      }
      try reader.read(bytes, into: &self)
      try reader.finish(into: &self)
      guard reader.isContradicted else { return }
      isWhole = true
    }
  }
}
