#include <charconv>
#include <cmath>
#include <cstring>

#include "csimdjson.h"

size_t csj_write_double(char *out, double value) {
  if (!std::isfinite(value)) return 0;
  if (value == 0) {
    const char *zero = std::signbit(value) ? "-0.0" : "0";
    const size_t length = std::strlen(zero);
    std::memcpy(out, zero, length);
    return length;
  }
  const double magnitude = std::fabs(value);
  // At most 21 digits and a sign, or a sign, "0.", 5 zeros and 17 digits.
  const bool plain = magnitude >= 1e-6 && magnitude < 1e21;
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto result = std::to_chars(out, out + CSJ_DOUBLE_LENGTH, value, format);
  return result.ec == std::errc() ? size_t(result.ptr - out) : 0;
}
