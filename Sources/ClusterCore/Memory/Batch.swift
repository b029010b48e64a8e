/// Items that are gathered to be dealt with together, up to a number. It never grows: what an array's
/// growing takes along (a reference count, a check of exclusive access) cost a view a fifth of its time.
///
/// Its memory is its owner's to free.
struct Batch<Item: BitwiseCopyable> {
  let items: UnsafeMutablePointer<Item>
  let capacity: Int
  var count = 0

  init(capacity: Int) {
    self.capacity = capacity
    items = .allocate(capacity: capacity)
  }

  /// Appends an item; whether there is no room for another.
  @inline(__always)
  mutating func append(_ item: Item) -> Bool {
    items[count] = item
    count &+= 1
    return count == capacity
  }
}
