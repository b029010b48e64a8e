import Glibc

/// 2 to a power; exact for integers.
func exponential2(_ exponent: Double) -> Double { pow(2, exponent) }

/// The logarithm to base 2.
func logarithm2(_ value: Double) -> Double { log2(value) }
