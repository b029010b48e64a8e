// A C face for simdjson's On-Demand parser, and for the shortest text of a double.
//
// A document is walked and validated as a whole and leaves a flat tape of nodes: a value's node is
// followed by the nodes of what it contains. In an object each member is a key node and then its
// value's nodes. No function throws or aborts, whatever the input.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a node stands for. Raw values, so that Swift sees plain constants.
enum {
  CSJ_NULL = 0,
  CSJ_FALSE = 1,
  CSJ_TRUE = 2,
  CSJ_NUMBER = 3,
  CSJ_STRING = 4,
  CSJ_ARRAY = 5,
  CSJ_OBJECT = 6,
  CSJ_KEY = 7,
};

/// One value or member name.
typedef struct {
  uint32_t kind;
  /// How many nodes the value takes: itself and all it contains.
  uint32_t span;
  /// The value as it was sent, in the parser's copy of the document. Not set for keys.
  const char *text;
  uint32_t text_length;
  /// Length of `string`, for strings and keys; the number of elements or members of a container.
  uint32_t length;
  union {
    double number;
    /// Unescaped UTF-8, for strings and keys; may hold U+0000.
    const char *string;
  };
} csj_node;

/// Why a document was refused.
typedef struct {
  /// A static sentence fragment for people.
  const char *reason;
  /// Byte offset in the document, or -1 if it isn't known.
  int64_t offset;
} csj_error;

/// Owns the padded copy of the document, simdjson's buffers and the tape, and reuses them.
typedef struct csj_parser csj_parser;

/// The deepest nesting that a parser can be asked for (the walk recurses).
enum { CSJ_DEPTH_LIMIT = 2000 };

/// A parser for documents nested at most `maximum_depth` deep (cut at CSJ_DEPTH_LIMIT), or NULL
/// without memory.
csj_parser *csj_parser_new(uint32_t maximum_depth);
void csj_parser_free(csj_parser *parser);

/// Parses a document; false with `error` filled in if it is not valid JSON. Values nested deeper
/// than `recorded_depth` (the root is 1) are validated but not recorded: their container counts
/// them and has no child nodes. A byte order mark is skipped.
bool csj_parse(csj_parser *parser, const void *bytes, size_t length, uint32_t recorded_depth,
               csj_error *error);

/// The tape of the last successful parse; its first node is the root. Valid until the next parse.
const csj_node *csj_tape(const csj_parser *parser);

/// Writes a finite double as JSON, the shortest text that reads back bit for bit, in plain notation
/// for magnitudes within 1e-6..<1e21, and returns the length: at most CSJ_DOUBLE_LENGTH bytes.
/// Returns 0 for infinities and NaN.
enum { CSJ_DOUBLE_LENGTH = 64 };
size_t csj_write_double(char *out, double value);

/// Reads a decimal number (JSON's grammar; also ".5" and "5."), correctly rounded; false if it isn't
/// one or isn't finite as a double.
bool csj_read_double(const char *text, size_t length, double *value);

/// The text of a value of the last document without insignificant white space: where it is, or a
/// copy in memory of the parser. It holds until the next call. NULL without memory.
const char *csj_minify(csj_parser *parser, const char *text, size_t length, size_t *written);

/// Whether bytes are valid UTF-8.
bool csj_is_utf8(const void *bytes, size_t length);

#ifdef __cplusplus
}
#endif
