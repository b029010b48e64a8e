import GeoFormats
import HTTPServer

/// A change that a request asks for, read and checked. The writer carries it out.
struct Write: Sendable {
  /// The longest body of a write that is read before its turn to be written and shares a transaction with others.
  /// Reading it takes about a millisecond.
  static let smallBody = 256 << 10
  /// Room for the features of such a body.
  static let smallRoom = DecodingRoom(granted: 4 * smallBody) { _ throws(FormatError) in
    throw .noRoom
  }

  /// The client's view of the collections: a write can't change features that it doesn't show.
  let view: CatalogView
  /// The collection that it concerns.
  let collection: String
  /// The memory that it takes until it is done, in bytes.
  var bytes: Int
  /// Whether it may share a transaction with others.
  var isSmall: Bool
  /// Whether it deletes, so that it may use the space that is kept for that on a full disk.
  var makesRoom = false
  /// Makes the write that takes its place, away from the writer, if it throws ``Outdated``.
  var again: (@Sendable () throws -> Write)?
  /// Carries it out and makes the answer, which is sent when the transaction is on disk. It makes one
  /// change at most, and may run again if the transaction has to be begun anew.
  var perform: @Sendable (WriteGroup) throws -> HTTPResponse

  /// A write that has a transaction to itself and takes next to no memory before.
  static func alone(
    by view: CatalogView, in collection: String, makesRoom: Bool = false,
    _ perform: @escaping @Sendable (WriteGroup) throws -> HTTPResponse
  ) -> Write {
    Write(
      view: view, collection: collection, bytes: 0, isSmall: false, makesRoom: makesRoom,
      perform: perform)
  }

  /// The outcome with the version after it, as a tenant sees that; ``WriteGroup`` tells it to all others. It may take a
  /// look at all features.
  func telling(
    _ outcome: Result<HTTPResponse, any Error>
  ) -> Result<HTTPResponse, any Error> {
    guard view.isFiltered else { return outcome }
    return Write.tell(try? view[collection]?.info.version, with: outcome)
  }

  /// An outcome with a version. A refusal because the feature isn't there, or has changed, has it, too, so that the
  /// client can read that state.
  static func tell(
    _ version: @autoclosure () -> Int64?, with outcome: Result<HTTPResponse, any Error>
  ) -> Result<HTTPResponse, any Error> {
    switch outcome {
    case .success(var response):
      guard let version = version() else { return outcome }
      response.headers.append((VersionField.name, "\(version)"))
      return .success(response)
    case .failure(let error):
      guard var problem = error as? Problem, [404, 412].contains(problem.status),
        let version = version()
      else { return outcome }
      problem.headers.append((VersionField.name, "\(version)"))
      return .failure(problem)
    }
  }
}
