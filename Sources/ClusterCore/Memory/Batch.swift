/// A buffer of fixed capacity that gathers items to process together. It never grows: with an
/// array, reference counting and exclusivity checks took a fifth of the time of a viewport request.
///
/// The owner frees the memory.
struct Batch<Item: BitwiseCopyable> {
  let items: UnsafeMutablePointer<Item>
  let capacity: Int
  var count = 0

  init(capacity: Int) {
    self.capacity = capacity
    items = .allocate(capacity: capacity)
  }

  /// Appends an item. Returns whether the batch is now full.
  @inline(__always)
  mutating func append(_ item: Item) -> Bool {
    items[count] = item
    count &+= 1
    return count == capacity
  }
}
