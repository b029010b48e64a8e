/// A term that is better evaluated after others.
protocol SlowTerm: FilterTerm {}
