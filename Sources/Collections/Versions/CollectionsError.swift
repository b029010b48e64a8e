/// The reason why collections can't be changed or looked at now, or by somebody.
package enum CollectionsError: Error, Equatable {
  /// The writer takes no more writes, as the service is stopping.
  case stopping
  /// Somebody who sees some of the features wants to change what belongs to all who see the collection.
  case seesPart
  /// Some features of a batch, by their numbers in order, don't pass the filter of its author, or would replace others that
  /// don't.
  case forbiddenFeatures([Int])
  /// There are as many collections as there may be.
  case tooManyCollections
  /// There is no memory for what somebody sees of a collection.
  case noMemoryForView
  /// Features of a collection without times are to be deleted by their times, which would be all.
  case noTimes
  /// The findings before a write's turn are of no use any more.
  case outdated
}
