/// A set of distinct texts, numbered from 0 in order of insertion. Each text has a flag, and texts
/// with different flags are distinct.
///
/// The texts are adjacent in memory and indexed by a hash table with open addressing, so lookups
/// and insertions allocate nothing per text.
///
/// A dictionary can begin with the texts of another one, which stays unchanged. So a large
/// dictionary in use need not be copied for each new text.
///
/// `@unchecked Sendable`: it is written only while its creator is its sole owner, and read-only
/// afterwards.
final class ByteDictionary: @unchecked Sendable {
  // The dictionary with the first texts, which has no base itself.
  private let base: ByteDictionary?
  private let firstOwn: Int
  private var bytes: GrowingArray<UInt8>
  // The start of each text times two, plus its flag.
  private var starts: GrowingArray<UInt64>
  // The upper half of a text's hash and its number plus one; 0 for a free slot.
  private var slots: WritableArray<UInt64>

  /// Creates an empty dictionary, or one that begins with the texts of `base`.
  init(over base: ByteDictionary? = nil) {
    self.base = base
    firstOwn = base?.count ?? 0
    bytes = GrowingArray(capacity: 64)
    starts = GrowingArray(capacity: 16)
    slots = ByteDictionary.freeSlots(32)
  }

  private init(copying other: ByteDictionary) {
    base = other.base
    firstOwn = other.firstOwn
    bytes = GrowingArray(copying: other.bytes)
    starts = GrowingArray(copying: other.starts)
    slots = WritableArray(copying: other.slots.pointer, count: other.slots.count)
  }

  /// A dictionary of the same texts that may be added to. A large one isn't copied each time:
  /// recent texts are kept separately and merged just often enough that copying and merging cost
  /// the same.
  var extended: ByteDictionary {
    guard let base else {
      return count <= ByteDictionary.smallCount
        ? ByteDictionary(copying: self) : ByteDictionary(over: self)
    }
    let own = count - firstOwn
    if own <= ByteDictionary.smallCount || own * own <= 32 * firstOwn {
      return ByteDictionary(copying: self)
    }
    let whole = ByteDictionary(copying: base)
    for number in firstOwn..<count { _ = whole.add(self[number], flag: flag(of: number)) }
    return whole
  }

  private static let smallCount = 1024

  var count: Int { firstOwn + starts.count }

  /// The memory it takes, in bytes.
  var byteCount: Int {
    bytes.count + starts.count * 8 + slots.byteCount + (base?.byteCount ?? 0)
  }

  /// The text with a number, valid while the dictionary lives.
  @inline(__always)
  subscript(_ number: Int) -> UnsafeRawBufferPointer {
    if number < firstOwn, let base { return base.own(number) }
    return own(number - firstOwn)
  }

  @inline(__always)
  private func own(_ number: Int) -> UnsafeRawBufferPointer {
    let start = Int(starts.pointer[number] >> 1)
    let end = number + 1 < starts.count ? Int(starts.pointer[number + 1] >> 1) : bytes.count
    return UnsafeRawBufferPointer(start: bytes.pointer + start, count: end - start)
  }

  @inline(__always)
  func flag(of number: Int) -> Bool {
    if number < firstOwn, let base { return base.flag(of: number) }
    return starts.pointer[number - firstOwn] & 1 != 0
  }

  /// Returns the number of a text, or nil if the dictionary doesn't contain it.
  func number(of text: UnsafeRawBufferPointer, flag: Bool = false) -> Int? {
    number(of: text, flag, ByteHash.hash(text, flag: flag))
  }

  private func number(of text: UnsafeRawBufferPointer, _ flag: Bool, _ hash: UInt64) -> Int? {
    if let number = base?.number(of: text, flag, hash) { return number }
    let slot = slots.pointer[slot(of: text, flag, hash)]
    return slot == 0 ? nil : Int(slot & 0xFFFF_FFFF) - 1
  }

  /// Returns the number of a text after adding it if it is new.
  func add(_ text: UnsafeRawBufferPointer, flag: Bool = false) -> Int {
    let hash = ByteHash.hash(text, flag: flag)
    if let number = base?.number(of: text, flag, hash) { return number }
    let index = slot(of: text, flag, hash)
    let slot = slots.pointer[index]
    if slot != 0 { return Int(slot & 0xFFFF_FFFF) - 1 }
    let number = count
    starts.append(UInt64(bytes.count) << 1 | (flag ? 1 : 0))
    bytes.append(contentsOf: text)
    slots.pointer[index] = hash & ~0xFFFF_FFFF | UInt64(number + 1)
    if starts.count * 4 > slots.count * 3 { grow() }
    return number
  }

  /// Returns the slot of a text, or the free slot that it would get.
  @inline(__always)
  private func slot(of text: UnsafeRawBufferPointer, _ flag: Bool, _ hash: UInt64) -> Int {
    let mask = slots.count - 1
    var index = Int(hash >> 32) & mask
    while true {
      let slot = slots.pointer[index]
      if slot == 0 { return index }
      if (slot ^ hash) >> 32 == 0 {
        let number = Int(slot & 0xFFFF_FFFF) - 1
        if self.flag(of: number) == flag, ByteOrder.areEqual(self[number], text) { return index }
      }
      index = (index + 1) & mask
    }
  }

  private func grow() {
    let larger = ByteDictionary.freeSlots(slots.count * 2)
    let mask = larger.count - 1
    for old in 0..<slots.count where slots.pointer[old] != 0 {
      var index = Int(slots.pointer[old] >> 32) & mask
      while larger.pointer[index] != 0 { index = (index + 1) & mask }
      larger.pointer[index] = slots.pointer[old]
    }
    slots = larger
  }

  private static func freeSlots(_ count: Int) -> WritableArray<UInt64> {
    let slots = WritableArray<UInt64>(count: count)
    slots.pointer.initialize(repeating: 0, count: count)
    return slots
  }
}

/// A dictionary that can grow although the one it started with is shared.
final class GrowingDictionary {
  private(set) var dictionary: ByteDictionary
  private var isShared: Bool

  /// Creates an empty dictionary, or one that starts with a shared one.
  init(_ dictionary: ByteDictionary? = nil) {
    self.dictionary = dictionary ?? ByteDictionary()
    isShared = dictionary != nil
  }

  /// Returns the number of a text after adding it if it is new.
  func add(_ text: UnsafeRawBufferPointer, flag: Bool = false) -> Int {
    if isShared {
      if let number = dictionary.number(of: text, flag: flag) { return number }
      dictionary = dictionary.extended
      isShared = false
    }
    return dictionary.add(text, flag: flag)
  }
}
