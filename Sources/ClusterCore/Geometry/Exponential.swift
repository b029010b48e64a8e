import Glibc

/// Returns 2 raised to a power, exactly for integers.
func exponential2(_ exponent: Double) -> Double { pow(2, exponent) }

/// Returns the logarithm to base 2.
func logarithm2(_ value: Double) -> Double { log2(value) }
