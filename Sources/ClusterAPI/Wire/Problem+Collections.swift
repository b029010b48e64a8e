import Collections
import GeoFormats

/// Errors of the target `Collections`, as clients see them.
extension Problem {
  /// A write doesn't find what it concerns as it should be. The version at which that can be seen is told as well.
  init(_ rejection: WriteOutcome.Rejection) {
    switch rejection.reason {
    case .noCollection: self = .noCollection
    case .noFeature: self = .noFeature
    case .condition(isThere: false): self.init(412, "what the condition is on isn't there")
    case .condition(isThere: true):
      self.init(412, "the condition isn't met by what is there now; read it again")
    }
    if let version = rejection.version { headers.append((VersionField.name, "\(version)")) }
  }

  /// Collections can't be changed or read.
  init(_ error: CollectionsError) {
    self =
      switch error {
      case .stopping: .stopping
      case .seesPart:
        .forbidden("the key is for some of the features, and this concerns all of them")
      case .forbiddenFeatures: .forbidden(Problem.forbiddenFeature)
      case .tooManyCollections:
        Problem(
          422, field: "collectionId", inBody: false,
          "there are as many collections as there may be, so that none is created")
      case .noMemoryForView:
        .unavailable("there is no memory for what the key is for", .memory)
      case .noTimes:
        Problem(
          422, field: "datetime", inBody: false,
          "the span has no bounds, or the collection no temporal properties, so that it would delete everything"
        )
      case .outdated:
        .unavailable("the collection changes faster than can be told what to delete")
      }
  }

  /// A body isn't the feature that the path names.
  init(_ failure: SingleFeature.Failure) {
    switch failure {
    case .notOne:
      self.init(
        422, "the body is not one Feature",
        items: [Item(pointer: "/type", detail: "a single Feature is expected")])
    case .rejected(let problem):
      self.init(422, problem.detail, items: [Item(pointer: "", detail: problem.detail)])
    case .otherID:
      self.init(422, field: "id", inBody: true, "the body's id is not that of the path")
    case .tooLarge(let limit): self = .featureTooLarge(limit)
    }
  }

  /// A read can't wait for a version.
  init(_ failure: VersionWaits.Failure) {
    self =
      switch failure {
      case .stopping: .stopping
      case .addressShare(let places):
        .overShare("\(places) reads of this address wait for a version already")
      case .full(let places):
        .unavailable("\(places) reads wait for a version already", .waits)
      }
  }

  /// A read asks for a version to which the collection hasn't come, and there is no time left to wait.
  init(_ early: CatalogView.VersionNotReached) {
    guard let there = early.view.madeVersion(of: early.collection) else {
      self = .noCollection
      return
    }
    self = .unavailable(
      "the collection is at version \(there) here, and hasn't come to \(early.version) in time")
  }
}
