/// A function that takes the sections of an index in order.
public typealias IndexFileSink = (IndexFileSection, UnsafeRawBufferPointer) throws -> Void
