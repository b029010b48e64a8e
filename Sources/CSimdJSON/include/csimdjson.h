// A C interface to simdjson's On-Demand parser, and to the text of doubles.
//
// Parsing validates a whole document and records it as a flat tape of nodes: the node of a value is
// followed by the nodes of what it contains, and each member of an object is a key node and the nodes of
// its value. No function throws or aborts, whatever the input.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The kinds of nodes, as an anonymous enum so that Swift sees plain constants.
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
  /// The number of nodes of the value: itself and everything in it.
  uint32_t span;
  /// The text of the value in the parser's copy of the document. Not set for keys.
  const char *text;
  uint32_t text_length;
  /// The length of `string` for strings and keys; the number of elements or members of a container.
  uint32_t length;
  union {
    double number;
    /// Unescaped UTF-8 of strings and keys; may contain U+0000.
    const char *string;
  };
} csj_node;

/// The reason why a document was rejected.
typedef struct {
  /// A static sentence fragment.
  const char *reason;
  /// The byte offset in the document, or -1 if it is not known.
  int64_t offset;
} csj_error;

/// The owner of the padded copy of the document, simdjson's buffers and the tape, which it reuses.
typedef struct csj_parser csj_parser;

/// The upper limit of `maximum_depth` (the walk recurses).
enum { CSJ_DEPTH_LIMIT = 2000 };

/// Creates a parser for documents nested at most `maximum_depth` deep (clamped to CSJ_DEPTH_LIMIT).
/// Returns NULL without memory.
csj_parser *csj_parser_new(uint32_t maximum_depth);
void csj_parser_free(csj_parser *parser);

/// Parses a document. Returns false and sets `error` if it is not valid JSON. Values nested deeper than
/// `recorded_depth` (the root is 1) are validated but not recorded: their container counts them and has
/// no child nodes. A byte order mark is skipped.
bool csj_parse(csj_parser *parser, const void *bytes, size_t length, uint32_t recorded_depth,
               csj_error *error);

/// The tape of the last successful parse; its first node is the root. Valid until the next parse.
const csj_node *csj_tape(const csj_parser *parser);

/// Writes the shortest text that reads back as a double bit for bit (but 0 for -0), in plain notation for magnitudes in
/// 1e-6..<1e21. Returns the length, at most CSJ_DOUBLE_LENGTH bytes; 0 for infinities and NaN.
enum { CSJ_DOUBLE_LENGTH = 64 };
size_t csj_write_double(char *out, double value);

/// Whether text is a number by the grammar of RFC 8259, section 6.
bool csj_is_number(const char *text, size_t length);

/// Reads a decimal number, correctly rounded: JSON's grammar and also ".5", "5." and "007". Returns false
/// for other texts and for numbers that are not finite as doubles.
bool csj_read_double(const char *text, size_t length, double *value);

/// The text of a value of the last document without insignificant white space: the document's own or a
/// copy in the parser, valid until the next call. Returns NULL without memory.
const char *csj_minify(csj_parser *parser, const char *text, size_t length, size_t *written);

/// Whether bytes are valid UTF-8.
bool csj_is_utf8(const void *bytes, size_t length);

#ifdef __cplusplus
}
#endif
