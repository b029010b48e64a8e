#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include "csimdjson.h"

size_t csj_write_double(char *out, double value) {
  if (!std::isfinite(value)) return 0;
  if (value == 0) {
    // Also for -0, which no answer holds.
    *out = '0';
    return 1;
  }
  const double magnitude = std::fabs(value);
  // At most 21 digits and a sign, or a sign, "0.", 5 zeros and 17 digits.
  const bool plain = magnitude >= 1e-6 && magnitude < 1e21;
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto result = std::to_chars(out, out + CSJ_DOUBLE_LENGTH, value, format);
  return result.ec == std::errc() ? size_t(result.ptr - out) : 0;
}

bool csj_is_number(const char *text, size_t length) {
  size_t i = 0;
  auto digits = [&] {
    const size_t start = i;
    while (i < length && text[i] >= '0' && text[i] <= '9') i++;
    return i - start;
  };
  if (i < length && text[i] == '-') i++;
  const size_t start = i;
  const size_t whole = digits();
  if (whole == 0 || (whole > 1 && text[start] == '0')) return false;
  if (i < length && text[i] == '.') {
    i++;
    if (digits() == 0) return false;
  }
  if (i < length && (text[i] == 'e' || text[i] == 'E')) {
    i++;
    if (i < length && (text[i] == '-' || text[i] == '+')) i++;
    if (digits() == 0) return false;
  }
  return i == length;
}

bool csj_read_double(const char *text, size_t length, double *value) {
  const auto result = std::from_chars(text, text + length, *value);
  if (result.ptr != text + length) return false;
  if (result.ec == std::errc()) return std::isfinite(*value);
  if (result.ec != std::errc::result_out_of_range) return false;
  // from_chars does not say whether the number is too large or too small. The program never sets a
  // locale, so strtod reads a point.
  try {
    *value = std::strtod(std::string(text, length).c_str(), nullptr);
    return std::isfinite(*value);
  } catch (...) {
    return false;
  }
}
