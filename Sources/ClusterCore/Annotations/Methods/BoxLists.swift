import CHints

/// Lists of placed boxes by bucket, group and cluster key: a hash table with open addressing whose lists
/// are in one array.
struct BoxLists: ~Copyable {
  struct Key: Equatable, BitwiseCopyable {
    var bucket: UInt64
    var group: UInt32 = 0
    var cluster: UInt32 = 0

    @inline(__always)
    fileprivate var hash: UInt64 {
      var hash = bucket &* 0x9E37_79B9_7F4A_7C15
      hash ^= (UInt64(group) << 32 | UInt64(cluster)) &* 0xC2B2_AE3D_27D4_EB4F
      hash ^= hash >> 32
      return hash &* 0xD6E8_FEB8_6659_FD93 >> 20
    }
  }

  struct Entry: BitwiseCopyable {
    var position: Position
    /// The number of the box, in the order of placement.
    var number: Int32
    /// The index of the next entry of the list; negative at its end.
    fileprivate(set) var next: Int32
  }

  private struct Slot: BitwiseCopyable {
    var key: Key
    /// The index of the first entry; negative in a free slot.
    var first: Int32
    var last: Int32
    var count: Int32
    /// Whether entries were left out because the list is full.
    var isCut: Bool
  }

  private var slots: UnsafeMutablePointer<Slot>
  private var mask = 255
  private var used = 0
  private(set) var entries = GrowingArray<Entry>(capacity: 1024)
  private let longest: Int

  /// Creates lists of at most `longest` entries each; later entries are left out.
  init(longest: Int = .max) {
    self.longest = longest
    slots = BoxLists.freeSlots(256)
  }

  deinit { slots.deallocate() }

  private static func freeSlots(_ count: Int) -> UnsafeMutablePointer<Slot> {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: count)
    slots.initialize(
      repeating: Slot(key: Key(bucket: 0), first: -1, last: -1, count: 0, isCut: false),
      count: count)
    return slots
  }

  var isEmpty: Bool { used == 0 }

  /// The index of the first entry of a list, negative if it is empty, and whether entries were left out.
  @inline(__always)
  func list(_ key: Key) -> (first: Int32, isCut: Bool) {
    let slot = slots[index(of: key)]
    return (slot.first, slot.isCut)
  }

  @inline(__always)
  func prefetch(_ key: Key) { chints_prefetch(slots + (Int(truncatingIfNeeded: key.hash) & mask)) }

  @inline(__always)
  func prefetchEntries(_ key: Key) {
    let first = slots[Int(truncatingIfNeeded: key.hash) & mask].first
    if first >= 0 { chints_prefetch(entries.pointer + Int(first)) }
  }

  /// The index of a key's slot, or of a free one for it. At least half of the slots are free.
  @inline(__always)
  private func index(of key: Key) -> Int {
    var index = Int(truncatingIfNeeded: key.hash) & mask
    while slots[index].first >= 0 && slots[index].key != key { index = (index &+ 1) & mask }
    return index
  }

  mutating func append(_ number: Int, at position: Position, to key: Key) {
    if used * 2 > mask { grow() }
    let slot = slots + index(of: key)
    guard slot.pointee.count < longest else {
      slot.pointee.isCut = true
      return
    }
    let entry = Int32(entries.count)
    entries.append(Entry(position: position, number: Int32(number), next: -1))
    if slot.pointee.first < 0 {
      used += 1
      (slot.pointee.key, slot.pointee.first) = (key, entry)
    } else {
      entries.pointer[Int(slot.pointee.last)].next = entry
    }
    slot.pointee.last = entry
    slot.pointee.count += 1
  }

  private mutating func grow() {
    let (old, count) = (slots, mask + 1)
    slots = BoxLists.freeSlots(count * 2)
    mask = count * 2 - 1
    for slot in 0..<count where old[slot].first >= 0 {
      slots[index(of: old[slot].key)] = old[slot]
    }
    old.deallocate()
  }
}
