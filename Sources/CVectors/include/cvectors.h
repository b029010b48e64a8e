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
  /// The sum of the bit patterns of latitude + 1.5 * 2^52, in the units of the polynomials.
  uint64_t latitudes;
  uint32_t min_x, min_y, max_x, max_y;
  /// The number of the first point.
  uint64_t first;
} cvectors_sum;

/// The sums of two halves.
typedef struct {
  cvectors_sum parts[2];
} cvectors_two;

/// The sums of four quarters.
typedef struct {
  cvectors_sum parts[4];
} cvectors_four;

/// Latitudes by y: a polynomial for each interval of 2^interval_bits steps.
typedef struct {
  /// Eight coefficients for each interval, of which the first five are used.
  const double *table;
  uint32_t interval_bits;
  /// Whether all points are in one interval, so that one lookup is enough.
  bool is_one_interval;
} cvectors_latitudes;

/// Sums the points up to a line and those beyond it.
typedef cvectors_two cvectors_halves(const uint64_t *points, size_t count, uint32_t line,
                                     cvectors_latitudes latitudes);

/// Sums the points of the quarters around the crossing of two lines, row by row.
typedef cvectors_four cvectors_quarters(const uint64_t *points, size_t count, uint32_t x, uint32_t y,
                                        cvectors_latitudes latitudes);

/// A rectangle of cells in a grid, and the range within a cell, in 2^-32 of its size, where a step
/// certainly belongs to that cell alone.
typedef struct {
  uint32_t cells_per_world;
  uint32_t quick_start, quick_end;
  uint32_t first_column, last_column;
  uint32_t first_row, last_row;
} cvectors_window;

/// The first and last columns and rows of up to four boxes.
typedef struct {
  uint64_t columns[8];
  uint64_t rows[8];
  // One bit for each box:
  /// The cells are certain. They are not if an edge of the box is close to a grid line.
  uint8_t is_clear;
  /// The box overlaps the window.
  uint8_t is_touched;
  /// The box is within the window.
  uint8_t is_inside;
} cvectors_cells;

/// Finds the cells of up to four boxes, which are the ends of records of 32 bytes.
typedef void cvectors_look(const void *records, size_t count, const cvectors_window *window,
                           cvectors_cells *cells);

/// The cells and latitudes of up to eight points.
typedef struct {
  uint64_t columns[8];
  uint64_t rows[8];
  /// The bit patterns of latitude + 1.5 * 2^52, in the units of the polynomials.
  uint64_t latitudes[8];
  // One bit for each point:
  /// The cell is certain.
  uint8_t is_clear;
  /// The cell is in the window.
  uint8_t is_inside;
} cvectors_points;

/// Finds the cells and latitudes of up to eight points.
typedef void cvectors_locate(const uint64_t *points, size_t count, const cvectors_window *window,
                             cvectors_latitudes latitudes, cvectors_points *found);

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

/// The functions. A point is x in the lower 32 bits and y in the upper 32; there is at least one.
typedef struct {
  cvectors_halves *halves_by_x;
  cvectors_halves *halves_by_y;
  cvectors_quarters *quarters;
  cvectors_look *look;
  cvectors_locate *locate;
  cvectors_write_decimals *decimals;
  cvectors_find_figures *figures;
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
