#pragma once

// Hot loops of clustering for processors with AVX-512 or AVX2, over eight points or four nodes at a time. The
// callers have the same loops in Swift for other processors. The results are the same on all.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The sums and bounds of points. Without points, the minima are all ones and the maxima are 0.
typedef struct {
  uint64_t count;
  /// The sum of x, in steps.
  uint64_t longitudes;
  /// The sum of latitudes in the units of the polynomials, which may be negative.
  uint64_t latitudes;
  uint32_t min_x, min_y, max_x, max_y;
  /// The number of the first point.
  uint64_t first;
} cvectors_sum;

/// The bit pattern of 1.5 * 2^52, which units are added to so that their integer is in the low bits.
#define CVECTORS_MAGIC 0x4338000000000000ull

/// Latitudes by y: a polynomial for each interval of 2^interval_bits steps.
typedef struct {
  /// Eight coefficients for each interval, of which the first five are used.
  const double *table;
  uint32_t interval_bits;
  /// Whether all points are in one interval, so that one lookup is enough.
  bool is_one_interval;
} cvectors_latitudes;

/// A rectangle of cells in a grid, and the range within a cell, in 2^-32 of its size, where a step
/// certainly belongs to that cell alone.
typedef struct {
  uint32_t cells_per_world;
  uint32_t quick_start, quick_end;
  uint32_t first_column, last_column;
  uint32_t first_row, last_row;
} cvectors_window;

// The following are laid out as the values in ClusterCore that they are named after.

/// A `Quadtree.Node`.
typedef struct {
  uint32_t begin, end, table;
  /// Eight times the index of the first child plus the number of children; 0 for a leaf.
  uint32_t children;
  uint32_t min_x, min_y, max_x, max_y;
} cvectors_node;

/// A `NodeSum`.
typedef struct {
  uint64_t longitudes, latitudes;
  uint32_t locations, count;
  uint64_t padding;
} cvectors_node_sum;

/// A `BlockPointers`.
typedef struct {
  const cvectors_node *nodes;
  const cvectors_node_sum *sums;
  /// Subscripted by the ordinal of a feature.
  const uint64_t *points;
  const void *references;
  uint64_t first;
  uint64_t unused[3];
} cvectors_block;

/// A `GridScratch.Siblings`: their number, and the first, whose upper half is the number of its block.
typedef struct {
  uint64_t first, count;
} cvectors_siblings;

/// A `CellSum`.
typedef struct {
  uint64_t column, row;
  cvectors_sum sum;
  uint64_t locations;
  uint32_t last_column, last_row;
} cvectors_cell;

/// The sums of some cells, and their slots by place: row by row, each from the first column eastwards. There is room
/// for the sums of all cells that hold features.
typedef struct {
  cvectors_cell *cells;
  int32_t *slots;
  uint64_t count;
  uint64_t first_column, first_row, columns_in_row, cells_per_world;
} cvectors_table;

/// The index of blocks to descend, and the window of the cells that are wanted.
typedef struct {
  const cvectors_block *blocks;
  cvectors_latitudes latitudes;
  cvectors_window window;
  /// The place of the window's first column in a row of the table, and the length of a row.
  uint32_t offset, columns_in_row;
  double steps_per_cell;
} cvectors_descent;

/// Adds the features of some nodes of blocks to the sums of their cells. Returns the number of nodes that it didn't add
/// because their cells, or those of a leaf's points, aren't certain; their numbers are in `unclear`.
///
/// - Parameters:
///   - queue: the nodes. Behind them there is room for all siblings below them.
///   - count: their number; in the end that of all groups of siblings that were visited.
///   - unclear: room for the numbers of all nodes.
typedef size_t cvectors_descend(const cvectors_descent *descent, cvectors_siblings *queue, size_t *count,
                                uint64_t *unclear, cvectors_table *table);

/// The texts of eight numbers.
typedef struct {
  char texts[8][16];
  uint64_t lengths[8];
  /// One bit for each number: it has at most eight decimals and is from 1e-6 to 1000 or negative like that.
  /// Others have no text here.
  uint8_t is_plain;
} cvectors_decimals;

/// Writes the shortest texts that read back as eight numbers, bit for bit.
typedef void cvectors_write_decimals(const double *numbers, cvectors_decimals *found);

/// The sum of some points in a cell, with their bounds.
typedef struct {
  uint64_t count, longitudes;
  int64_t latitudes;
  uint32_t min_x, min_y, max_x, max_y;
} cvectors_point_sum;

/// The mean coordinates and the bounds of eight sums, in degrees.
typedef struct {
  double latitudes[8], longitudes[8], west[8], south[8], east[8], north[8];
} cvectors_figures;

/// Finds the means and bounds of eight sums, none of which is polar.
typedef void cvectors_find_figures(const cvectors_point_sum *_Nonnull const *_Nonnull sums,
                                   cvectors_latitudes latitudes, cvectors_figures *found);

/// The steps of latitudes, from north to south: polynomials of eight coefficients, of the distance in degrees from the middle
/// of an interval, from the southernmost interval on.
typedef struct {
  const double *table;
  double intervals, intervals_per_degree;
  /// The latitude of the northern edge of the world; the southern edge has the same, negative.
  double northern_edge;
  /// The distance from an edge of a step within which a polynomial isn't trusted.
  double tolerance;
} cvectors_steps;

/// Finds the positions of up to 64 coordinates, each a longitude and a latitude in degrees. Returns one bit for each of which the
/// y isn't certain, and is anything.
typedef uint64_t cvectors_find_positions(const double *coordinates, size_t count, cvectors_steps steps, uint64_t *points);

/// Adds a cell without features to a table, at a place that has none; returns its slot.
int32_t cvectors_append(cvectors_table *table, uint32_t place);

/// The functions. A point is x in the lower 32 bits and y in the upper 32; there is at least one.
typedef struct {
  cvectors_descend *descend;
  cvectors_write_decimals *decimals;
  cvectors_find_figures *figures;
  cvectors_find_positions *positions;
} cvectors_functions;

/// The best functions for this processor; NULL if it lacks the instructions for any.
const cvectors_functions *_Nullable cvectors_best(void);

/// All functions for this processor by number, the best first; NULL beyond the last ones.
const cvectors_functions *_Nullable cvectors_usable(unsigned number);

// The following work on every processor. Bits are numbered from the lowest one of the first of several words.

/// Which of up to 64 numbers are from `low` to `high`; NaN is not.
uint64_t cvectors_within(const double *numbers, size_t count, double low, double high);

/// Which of up to 64 numbers aren't NaN.
uint64_t cvectors_known(const double *numbers, size_t count);

/// Which of up to 64 spans end before `low` or begin after `high`. A span whose end is NaN ends where it
/// begins, and one whose beginning is NaN too does neither.
uint64_t cvectors_apart(const double *firsts, const double *lasts, size_t count, double low, double high);

/// Sums those of at least one point that have a bit; that of the first one is number `start`. The first of a sum
/// without points is UINT64_MAX.
///
/// `is_plain` chooses the loop without vectors, for tests. The result is the same.
cvectors_sum cvectors_masked_sum(const uint64_t *points, size_t count, const uint64_t *bits, size_t start,
                                 cvectors_latitudes latitudes, bool is_plain);

#pragma clang assume_nonnull end
