/// A term that is better evaluated after others.
protocol SlowTerm: FilterTerm {}

extension SlowTerm {
  var isSlow: Bool { true }
}
