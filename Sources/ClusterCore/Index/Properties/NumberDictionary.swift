/// A dictionary from numbers to 32-bit values, keyed by the bits of the double.
struct NumberDictionary {
  private var slots: WritableArray<(bits: UInt64, value: UInt32)>
  private var count = 0

  init() { slots = NumberDictionary.freeSlots(64) }

  /// Returns the value of a number other than NaN, made by `make` if the number is new.
  @inline(__always)
  mutating func value(of number: Double, make: (Double) -> UInt32) -> UInt32 {
    let bits = (number == 0 ? 0 : number).bitPattern  // -0 becomes 0
    let index = slot(of: bits)
    if slots.pointer[index].bits == bits { return slots.pointer[index].value }
    let value = make(number)
    slots.pointer[index] = (bits, value)
    count += 1
    if count * 2 > slots.count { grow() }
    return value
  }

  // The bits of a NaN, which is never a key.
  private static let free = UInt64.max

  private func slot(of bits: UInt64) -> Int {
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: ByteHash.hash(bits)) & mask
    while slots.pointer[index].bits != bits, slots.pointer[index].bits != NumberDictionary.free {
      index = (index + 1) & mask
    }
    return index
  }

  private mutating func grow() {
    let old = slots
    slots = NumberDictionary.freeSlots(old.count * 2)
    for index in 0..<old.count where old.pointer[index].bits != NumberDictionary.free {
      slots.pointer[slot(of: old.pointer[index].bits)] = old.pointer[index]
    }
  }

  private static func freeSlots(_ count: Int) -> WritableArray<(bits: UInt64, value: UInt32)> {
    let slots = WritableArray<(bits: UInt64, value: UInt32)>(count: count)
    slots.pointer.initialize(repeating: (free, 0), count: count)
    return slots
  }
}
