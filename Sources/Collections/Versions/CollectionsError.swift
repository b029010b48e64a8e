/// The reason why collections can't be changed or read now, or by this client.
package enum CollectionsError: Error, Equatable {
  /// The writer takes no more writes, as the service is stopping.
  case stopping
  /// A client that sees some of the features wants to change a part of the collection that all its clients share.
  case seesPart
  /// Some features of a batch, by their numbers in order, don't pass the filter of its author, or would replace others that
  /// don't.
  case forbiddenFeatures([Int])
  /// There are as many collections as there may be.
  case tooManyCollections
  /// There is no memory for the client's view of a collection.
  case noMemoryForView
  /// Features of a collection without times are to be deleted by their times, which would be all.
  case noTimes
  /// The findings before a write's turn are of no use any more.
  case outdated
}
