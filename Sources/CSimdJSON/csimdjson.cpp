// The implementation of csimdjson.h. The document is copied between a '[' and a ']', because On-Demand
// treats a scalar at the root differently, limits its length and validates it less. Within an array all
// values are alike, and the check of the root is that the array has exactly one element.
#define SIMDJSON_EXCEPTIONS 0
#include "csimdjson.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;

namespace {

/// The bytes that a parser keeps. One that has grown past this shrinks at the next much smaller document.
constexpr size_t kept_capacity = size_t{1} << 20;
/// The limit of the 32-bit counts of simdjson and the tape.
constexpr size_t longest_document = size_t{1} << 31;

const char *reason(error_code code) {
  switch (code) {
    case simdjson::UTF8_ERROR: return "the text is not valid UTF-8";
    case simdjson::UNCLOSED_STRING: return "a string is not closed";
    case simdjson::UNESCAPED_CHARS: return "a string holds an unescaped control character";
    case simdjson::STRING_ERROR: return "a string holds an invalid escape";
    case simdjson::NUMBER_ERROR: return "invalid number";
    case simdjson::T_ATOM_ERROR:
    case simdjson::F_ATOM_ERROR:
    case simdjson::N_ATOM_ERROR:
    case simdjson::INCORRECT_TYPE: return "invalid literal";
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT: return "an array or object is not closed";
    case simdjson::MEMALLOC: return "out of memory";
    case simdjson::CAPACITY: return "the document is too long";
    default: return "a value, comma, colon or bracket is missing or misplaced";
  }
}

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// Whether a number has more digits before its exponent than every 64-bit integer can hold.
bool has_many_digits(std::string_view text) {
  if (text.size() <= 19) return false;
  const size_t mantissa = std::min(text.find_first_of("eE"), text.size());
  return std::count_if(text.begin(), text.begin() + ptrdiff_t(mantissa), is_digit) > 19;
}

/// The end of a valid string, after its closing quote. Its contents begin at `next`.
const char *end_of_string(const char *next, const char *stop) {
  while (next < stop && *next != '"') next += *next == '\\' ? 2 : 1;
  return std::min(next + 1, stop);
}

}  // namespace

struct csj_parser {
  ondemand::parser parser;
  uint32_t maximum_depth;
  uint32_t recorded_depth = 0;
  std::unique_ptr<char[]> buffer;
  size_t capacity = 0;
  std::vector<csj_node> tape;
  std::vector<char> minified;
  /// Whether the document has white space outside strings and not at its ends.
  bool spaced = false;

  const char *failure = nullptr;
  const char *failed_at = nullptr;
  ondemand::document document;

  explicit csj_parser(uint32_t depth) : maximum_depth(depth) {}

  bool fail(const char *why, const char *where) {
    failure = why;
    failed_at = where;
    return false;
  }

  bool fail(error_code code, const char *fallback) {
    const char *where = nullptr;
    if (document.current_location().get(where) != simdjson::SUCCESS) where = fallback;
    return fail(reason(code), where);
  }

  error_code prepare(const char *bytes, size_t length);
  bool run();
  bool walk(ondemand::value &value, uint32_t depth);
  bool walk_array(ondemand::value &value, uint32_t depth, uint32_t &count, const char *start);
  bool walk_object(ondemand::value &value, uint32_t depth, uint32_t &count, const char *start);
  bool read_number(ondemand::value &value, std::string_view text, double &number);
};

/// Copies the document between brackets and pads it with zeros, because simdjson could mistake bytes of
/// an earlier document for its end.
error_code csj_parser::prepare(const char *bytes, size_t length) {
  const size_t wrapped = length + 2;
  if (wrapped > capacity || (capacity > kept_capacity && wrapped < capacity / 8)) {
    const bool shrink = wrapped <= capacity;
    size_t wanted = std::max<size_t>(wrapped, 4096);
    if (!shrink) wanted = std::max(wanted, std::min(capacity * 2, longest_document));
    if (shrink) std::vector<csj_node>().swap(tape);
    buffer.reset();
    capacity = 0;
    buffer.reset(new (std::nothrow) char[wanted + simdjson::SIMDJSON_PADDING]);
    if (!buffer) return simdjson::MEMALLOC;
    if (auto code = parser.allocate(wanted, maximum_depth + 8)) return code;
    capacity = wanted;
  }
  char *out = buffer.get();
  out[0] = '[';
  if (length > 0) std::memcpy(out + 1, bytes, length);
  out[length + 1] = ']';
  std::memset(out + wrapped, 0, simdjson::SIMDJSON_PADDING);
  return simdjson::SUCCESS;
}

/// Reads a number. Works around two limits of simdjson 3.0: it takes the digits of numbers such as
/// 0.12345678901234567890 modulo 2^64, and rejects exponents of 20 digits (with leading zeros).
bool csj_parser::read_number(ondemand::value &value, std::string_view text, double &number) {
  const error_code code = value.get_double().get(number);
  if (code == simdjson::SUCCESS && !has_many_digits(text)) return true;
  // The enclosing iteration skips a value that get_double did not consume.
  if (!csj_is_number(text.data(), text.size())) return fail("invalid number", text.data());
  return csj_read_double(text.data(), text.size(), &number) ||
         fail("number out of range", text.data());
}

bool csj_parser::walk_array(ondemand::value &value, uint32_t depth, uint32_t &count,
                            const char *start) {
  ondemand::array array;
  if (auto code = value.get_array().get(array)) return fail(code, start);
  for (auto item : array) {
    ondemand::value element;
    if (auto code = std::move(item).get(element)) return fail(code, start);
    if (!walk(element, depth + 1)) return false;
    count++;
  }
  return true;
}

bool csj_parser::walk_object(ondemand::value &value, uint32_t depth, uint32_t &count,
                             const char *start) {
  ondemand::object object;
  if (auto code = value.get_object().get(object)) return fail(code, start);
  for (auto item : object) {
    ondemand::field field;
    if (auto code = std::move(item).get(field)) return fail(code, start);
    if (is_space(field.key().raw()[-2])) spaced = true;
    std::string_view key;
    if (auto code = field.unescaped_key().get(key)) return fail(code, start);
    if (depth < recorded_depth) {
      csj_node node{};
      node.kind = CSJ_KEY;
      node.span = 1;
      node.length = uint32_t(key.size());
      node.string = key.data();
      tape.push_back(node);
    }
    if (!walk(field.value(), depth + 1)) return false;
    count++;
  }
  return true;
}

/// Validates a value and everything in it, and records it. Recursion ends at maximum_depth.
bool csj_parser::walk(ondemand::value &value, uint32_t depth) {
  const std::string_view token = value.raw_json_token();
  std::string_view text = trimmed(token);
  const char *start = text.data();
  // Looks for white space before and after every token except commas and colons. The bracket around the
  // document precedes the first value.
  if (is_space(start[-1]) || (start[-1] == ':' && start[-2] != '"')) spaced = true;
  const size_t index = tape.size();
  const bool recorded = depth <= recorded_depth;
  if (recorded) tape.emplace_back();
  uint32_t kind = CSJ_NULL;
  uint32_t length = 0;
  double number = 0;
  const char *string = nullptr;

  ondemand::json_type type;
  if (auto code = value.type().get(type)) return fail(reason(code), start);
  switch (type) {
    case ondemand::json_type::null: {
      bool null = false;
      if (auto code = value.is_null().get(null)) return fail(reason(code), start);
      if (!null) return fail("invalid literal", start);
      kind = CSJ_NULL;
      break;
    }
    case ondemand::json_type::boolean: {
      bool truth = false;
      if (auto code = value.get_bool().get(truth)) return fail(reason(code), start);
      kind = truth ? CSJ_TRUE : CSJ_FALSE;
      break;
    }
    case ondemand::json_type::number:
      if (!read_number(value, text, number)) return false;
      kind = CSJ_NUMBER;
      break;
    case ondemand::json_type::string: {
      std::string_view unescaped;
      if (auto code = value.get_string().get(unescaped)) return fail(reason(code), start);
      kind = CSJ_STRING;
      string = unescaped.data();
      length = uint32_t(unescaped.size());
      break;
    }
    case ondemand::json_type::array:
    case ondemand::json_type::object: {
      if (depth > maximum_depth) return fail("nested too deeply", start);
      const bool array = type == ondemand::json_type::array;
      kind = array ? CSJ_ARRAY : CSJ_OBJECT;
      if (!(array ? walk_array(value, depth, length, start)
                  : walk_object(value, depth, length, start))) {
        return false;
      }
      // Only white space lies between the closing bracket and the next token, which exists: it is the
      // bracket around the document, if nothing else.
      const char *end = nullptr;
      if (auto code = document.current_location().get(end)) return fail(reason(code), start);
      text = trimmed(std::string_view(start, size_t(end - start)));
      if (start + text.size() != end || (length == 0 && text.size() > 2)) spaced = true;
      break;
    }
    default: return fail("invalid literal", start);
  }
  if (kind < CSJ_ARRAY && token.size() != text.size()) spaced = true;
  if (recorded) {
    // Field by field, because copying a node that was just assembled stalls on store forwarding.
    csj_node &node = tape[index];
    node.kind = kind;
    node.span = uint32_t(tape.size() - index);
    node.text = start;
    node.text_length = uint32_t(text.size());
    node.length = length;
    if (kind == CSJ_NUMBER) {
      node.number = number;
    } else {
      node.string = string;
    }
  }
  return true;
}

bool csj_parser::run() {
  ondemand::array root;
  if (auto code = document.get_array().get(root)) return fail(code, nullptr);
  bool any = false;
  for (auto item : root) {
    ondemand::value value;
    const auto code = std::move(item).get(value);
    if (any) return fail("something follows the value", code ? nullptr : value.raw_json_token().data());
    if (code) return fail(code, nullptr);
    if (!walk(value, 1)) return false;
    any = true;
  }
  if (!any) return fail("the document is empty", nullptr);
  const char *rest = nullptr;
  if (document.current_location().get(rest) == simdjson::SUCCESS) {
    return fail("something follows the value", rest);
  }
  return true;
}

csj_parser *csj_parser_new(uint32_t maximum_depth) {
  try {
    return new csj_parser(std::clamp<uint32_t>(maximum_depth, 1, CSJ_DEPTH_LIMIT));
  } catch (...) {
    return nullptr;
  }
}

void csj_parser_free(csj_parser *parser) { delete parser; }

bool csj_parse(csj_parser *parser, const void *bytes, size_t length, uint32_t recorded_depth,
               csj_error *error) {
  try {
    const char *source = static_cast<const char *>(bytes);
    size_t skipped = 0;
    if (length >= 3 && std::memcmp(source, "\xEF\xBB\xBF", 3) == 0) skipped = 3;
    parser->tape.clear();
    parser->spaced = false;
    parser->failure = nullptr;
    parser->failed_at = nullptr;
    parser->recorded_depth = std::max<uint32_t>(recorded_depth, 1);
    bool valid = false;
    if (length > longest_document - 64) {
      parser->fail(reason(simdjson::CAPACITY), nullptr);
    } else if (auto code = parser->prepare(source + skipped, length - skipped)) {
      parser->fail(reason(code), nullptr);
    } else {
      const size_t wrapped = length - skipped + 2;
      auto result = parser->parser.iterate(parser->buffer.get(), wrapped,
                                           wrapped + simdjson::SIMDJSON_PADDING);
      if (auto failed = std::move(result).get(parser->document)) {
        parser->fail(reason(failed), nullptr);
      } else {
        valid = parser->run();
      }
    }
    if (valid) return true;
    parser->tape.clear();
    error->reason = parser->failure;
    error->offset = -1;
    if (parser->failed_at != nullptr) {
      const int64_t offset = parser->failed_at - parser->buffer.get() - 1;
      error->offset = std::clamp<int64_t>(offset, 0, int64_t(length - skipped)) + int64_t(skipped);
    }
    return false;
  } catch (...) {
    parser->tape.clear();
    *error = {"out of memory", -1};
    return false;
  }
}

const csj_node *csj_tape(const csj_parser *parser) { return parser->tape.data(); }

const char *csj_minify(csj_parser *parser, const char *text, size_t length, size_t *written) {
  try {
    if (!parser->spaced) {
      *written = length;
      return text;
    }
    std::vector<char> &out = parser->minified;
    if (out.size() < length || (out.size() > kept_capacity && length < out.size() / 8)) {
      std::vector<char>(std::max<size_t>(length, 4096)).swap(out);
    }
    // Not simdjson::minify(), which takes three times as long for short texts.
    char *end = out.data();
    const char *run = text;  // the start of what has not been copied yet
    const char *const stop = text + length;
    for (const char *next = text; next < stop;) {
      if (*next == '"') {
        next = end_of_string(next + 1, stop);
      } else if (!is_space(*next)) {
        next++;
      } else {
        std::memcpy(end, run, size_t(next - run));
        end += next - run;
        while (next < stop && is_space(*next)) next++;
        run = next;
      }
    }
    std::memcpy(end, run, size_t(stop - run));
    *written = size_t(end - out.data() + (stop - run));
    return out.data();
  } catch (...) {
    return nullptr;
  }
}

bool csj_is_utf8(const void *bytes, size_t length) {
  return length == 0 || simdjson::validate_utf8(static_cast<const char *>(bytes), length);
}
