#pragma once

// The loops of a view that are worth instructions which not every processor has: they look at eight
// points or four nodes at a time. Whoever calls them has the same in Swift for other processors.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// What some points add up to. Without points the least are all ones and the most are 0.
typedef struct {
  uint64_t count;
  /// The sum of x, in steps.
  uint64_t longitudes;
  /// The sum of the bits of latitudes with 1.5 * 2^52 added, in the units of the polynomials.
  uint64_t latitudes;
  uint32_t min_x, min_y, max_x, max_y;
} cvectors_sum;

/// Those of two halves.
typedef struct {
  cvectors_sum parts[2];
} cvectors_two;

/// Those of four quarters.
typedef struct {
  cvectors_sum parts[4];
} cvectors_four;

/// Latitudes by y: a polynomial for each interval of 2^interval_bits steps.
typedef struct {
  /// Eight coefficients an interval, of which the first five are used.
  const double *table;
  uint32_t interval_bits;
  /// Where points are in one interval all, so that one look at the table is enough.
  bool is_one_interval;
} cvectors_latitudes;

/// Splits at a line, into those up to it and those beyond it.
typedef cvectors_two cvectors_halves(const uint64_t *points, size_t count, uint32_t line,
                                     cvectors_latitudes latitudes);

/// Splits at two lines that cross, into quarters by row.
typedef cvectors_four cvectors_quarters(const uint64_t *points, size_t count, uint32_t x, uint32_t y,
                                        cvectors_latitudes latitudes);

/// A rectangle of cells in a grid, and between which parts of a cell, in 2^-32, a step lies in one cell
/// for certain.
typedef struct {
  uint32_t cells_per_world;
  uint32_t quick_start, quick_end;
  uint32_t first_column, last_column;
  uint32_t first_row, last_row;
} cvectors_window;

/// The cells of up to four boxes: the first and the last column and row of each.
typedef struct {
  uint64_t columns[8];
  uint64_t rows[8];
  // A bit a box:
  /// All of this is certain, which it isn't where an edge is beside a grid line.
  uint8_t is_clear;
  /// Some of it is in the window.
  uint8_t is_touched;
  /// All of it is in the window.
  uint8_t is_inside;
} cvectors_cells;

/// Finds the cells of up to four boxes that lie at the ends of records of 32 bytes.
typedef void cvectors_look(const void *records, size_t count, const cvectors_window *window,
                           cvectors_cells *cells);

/// Points are x in the lower 32 bits and y in the upper ones; there is at least one.
typedef struct {
  cvectors_halves *halves_by_x;
  cvectors_halves *halves_by_y;
  cvectors_quarters *quarters;
  cvectors_look *look;
} cvectors_functions;

/// What this processor can do of it; NULL where it hasn't the instructions.
const cvectors_functions *_Nullable cvectors_best(void);

#pragma clang assume_nonnull end
