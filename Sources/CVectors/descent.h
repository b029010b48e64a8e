// The descent of a quadtree, for the file that includes this. It has halve(), which divides the points of a leaf by
// a line, totals_of() and box_of() for what that returns, find_latitudes(), and sum_some(), which adds up some points.
// TARGET and INLINED are its attributes of functions.

enum { most_wholes = 64, most_leaves = 32, most_points = 64 };

/// A node within one cell.
typedef struct {
  const cvectors_node *node;
  const cvectors_node_sum *sum;
  uint64_t first;
  uint32_t place;
} Whole;

/// A leaf that crosses a grid line or the edge of the window.
typedef struct {
  const cvectors_node *node;
  const cvectors_node_sum *sum;
  const uint64_t *points;
  uint64_t number, first;
  // The columns and rows of the first and the last cell, counted from those of the window, and their places.
  int32_t cells[4];
  uint64_t places[2];
} Leaf;

/// Values for all boxes and points, in each lane of 64 bits: for x in the lower half and for y in the upper.
typedef struct {
  __m256i cells_per_world, columns_in_row, offset;
  // The first part of a cell, and the number of those behind it, where a step certainly belongs to that cell alone.
  __m256i first_part, more_parts;
  // The first cell of the window, and the last one counted from it.
  __m256i first_cell, last_cell;
} Window;

typedef struct {
  const cvectors_descent *own;
  Window window;
  cvectors_table *table;
  uint64_t *unclear;
  size_t unclear_count;
  unsigned wholes_count, leaves_count;
  Whole wholes[most_wholes];
  Leaf leaves[most_leaves];
} Descent;

INLINED __m256i both(uint32_t x, uint32_t y) { return _mm256_set1_epi64x((long long)((uint64_t)y << 32 | x)); }

INLINED Window window_of(const cvectors_descent *own) {
  const cvectors_window *window = &own->window;
  uint32_t first_part = window->quick_start + 1, more_parts = window->quick_end - 1 - first_part;
  return (Window){
      .cells_per_world = _mm256_set1_epi64x(window->cells_per_world),
      .columns_in_row = _mm256_set1_epi64x(own->columns_in_row),
      .offset = _mm256_set1_epi64x(own->offset),
      .first_part = both(first_part, first_part),
      .more_parts = both(more_parts, more_parts),
      .first_cell = both(window->first_column, window->first_row),
      .last_cell = both(window->last_column - window->first_column, window->last_row - window->first_row)};
}

/// The columns and rows of four positions, counted from the window's first.
typedef struct {
  __m256i cells;
  /// All bits are set where a column or row is certain.
  __m256i clear;
} Cells;

INLINED Cells cells_of(__m256i positions, const Window *window) {
  // With N cells in the world, step s begins exactly at s * N / 2^32 cells.
  __m256i x = _mm256_mul_epu32(positions, window->cells_per_world);
  __m256i y = _mm256_mul_epu32(_mm256_srli_epi64(positions, 32), window->cells_per_world);
  __m256i cells = _mm256_blend_epi32(_mm256_srli_epi64(x, 32), y, 0xAA);
  __m256i parts = _mm256_sub_epi32(_mm256_blend_epi32(x, _mm256_slli_epi64(y, 32), 0xAA), window->first_part);
  return (Cells){_mm256_sub_epi32(cells, window->first_cell),
                 _mm256_cmpeq_epi32(_mm256_min_epu32(parts, window->more_parts), parts)};
}

/// The places of four cells in the table, in the lower half of each lane of 64 bits.
INLINED __m256i places_of(__m256i cells, const Window *window) {
  __m256i rows = _mm256_mul_epu32(_mm256_srli_epi64(cells, 32), window->columns_in_row);
  return _mm256_add_epi64(rows, _mm256_add_epi64(cells, window->offset));
}

INLINED unsigned lanes_of(__m256i mask) { return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(mask)); }

/// The sum at a place of the table, created if necessary.
INLINED cvectors_sum *sum_at(cvectors_table *table, uint32_t place) {
  int32_t slot = table->slots[place];
  return &table->cells[slot >= 0 ? slot : cvectors_append(table, place)].sum;
}

/// Adds some points: the number of the first, the sums of their longitudes and latitudes, and their box.
INLINED void add_to(cvectors_sum *sum, uint64_t count, uint64_t first, __m128i both, __m128i box) {
  __m128i before = _mm_loadu_si128((const __m128i *)&sum->min_x);
  __m128i totals = _mm_loadu_si128((const __m128i *)&sum->longitudes);
  sum->count += count;
  sum->first = first < sum->first ? first : sum->first;
  _mm_storeu_si128((__m128i *)&sum->longitudes, _mm_add_epi64(totals, both));
  _mm_storeu_si128((__m128i *)&sum->min_x, _mm_blend_epi32(_mm_min_epu32(before, box),
                                                           _mm_max_epu32(before, box), 0xC));
}

INLINED void add_wholes(Descent *descent) {
  for (unsigned number = 0; number < descent->wholes_count; number++) {
    const Whole *whole = &descent->wholes[number];
    add_to(sum_at(descent->table, whole->place), whole->sum->count, whole->first,
           _mm_loadu_si128((const __m128i *)&whole->sum->longitudes),
           _mm_loadu_si128((const __m128i *)&whole->node->min_x));
  }
  descent->wholes_count = 0;
}

/// Adds the points of a leaf: one by one, or by their cells if these are few. Returns false, and adds nothing, if the
/// cell of one isn't certain.
INLINED bool scatter(Descent *descent, const Leaf *leaf, size_t count, bool are_few) {
  _Alignas(64) uint64_t found[most_points], places[most_points];
  uint64_t inside = 0;
  if (count > most_points) return false;
  const Window *window = &descent->window;
  for (size_t at = 0; at < count; at += 4) {
    Cells cells = cells_of((__m256i)four_points(leaf->points + at, count - at), window);
    if (lanes_of(cells.clear) != 0xFF) return false;
    // Both the column and the row are inside.
    unsigned lanes = lanes_of(_mm256_cmpeq_epi32(_mm256_min_epu32(cells.cells, window->last_cell), cells.cells));
    inside |= (uint64_t)_pext_u32(lanes & lanes >> 1, 0x55) << at;
    _mm256_store_si256((__m256i *)(places + at), places_of(cells.cells, window));
  }
  cvectors_latitudes latitudes = descent->own->latitudes;
  find_latitudes(leaf->points, count, latitudes, leaf->node->min_y >> latitudes.interval_bits,
                 leaf->node->max_y >> latitudes.interval_bits, found);
  inside = _bzhi_u64(inside, (unsigned)count);
  while (inside) {
    unsigned number = (unsigned)__builtin_ctzll(inside);
    cvectors_sum *sum = sum_at(descent->table, (uint32_t)places[number]);
    if (are_few) {
      uint64_t same = 0;
      __m256i place = _mm256_set1_epi64x((long long)places[number]);
      for (size_t at = number / 4 * 4; at < count; at += 4) {
        __m256i equal = _mm256_cmpeq_epi32(_mm256_load_si256((const __m256i *)(places + at)), place);
        same |= (uint64_t)(unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_slli_epi64(equal, 32))) << at;
      }
      same &= inside;
      __m128i box, sums = sum_some(leaf->points, found, same, &box);
      uint64_t members = (uint64_t)_mm_popcnt_u64(same);
      add_to(sum, members, leaf->first + number,
             _mm_sub_epi64(sums, _mm_set_epi64x((long long)(members * CVECTORS_MAGIC), 0)), box);
      inside &= ~same;
    } else {
      uint64_t point = leaf->points[number];
      add_to(sum, 1, leaf->first + number,
             _mm_set_epi64x((long long)(found[number] - CVECTORS_MAGIC), (uint32_t)point),
             _mm_set1_epi64x((long long)point));
      inside &= inside - 1;
    }
  }
  return true;
}

/// Adds a leaf that one line divides. Returns false, and adds nothing, if a point is within a step of the line.
INLINED bool divide(Descent *descent, const Leaf *leaf, size_t count, bool is_by_x) {
  const cvectors_descent *own = descent->own;
  const int32_t *cells = leaf->cells;
  if (count > most_points) return false;
  uint32_t last = is_by_x ? own->window.first_column + (uint32_t)cells[2] : own->window.first_row + (uint32_t)cells[3];
  uint64_t line = (uint64_t)((double)last * own->steps_per_cell);
  // Most leaves lie in one interval of latitudes, whose loop is shorter.
  cvectors_latitudes latitudes = own->latitudes;
  uint64_t first = leaf->node->min_y >> latitudes.interval_bits, final = leaf->node->max_y >> latitudes.interval_bits;
  int shift = is_by_x ? 0 : 32;
  Halves halves = first == final ? halve(leaf->points, count, line, shift, latitudes, first, first)
                                 : halve(leaf->points, count, line, shift, latitudes, first, final);
  __m128i near = box_of(&halves, 0), far = box_of(&halves, 1);
  uint32_t before = (uint32_t)(is_by_x ? _mm_extract_epi32(near, 2) : _mm_extract_epi32(near, 3));
  uint32_t behind = (uint32_t)(is_by_x ? _mm_extract_epi32(far, 0) : _mm_extract_epi32(far, 1));
  // A half without points is far from any line.
  if (before + 1ull >= line || behind <= line + 1) return false;
  uint64_t members = (uint64_t)_mm_popcnt_u64(halves.behind);
  __m128i all = _mm_loadu_si128((const __m128i *)&leaf->sum->longitudes);
  __m128i sums = _mm_sub_epi64(totals_of(&halves), _mm_set_epi64x((long long)(members * CVECTORS_MAGIC), 0));
  // A half outside of the window isn't needed.
  if (members < count && cells[0] >= 0 && cells[1] >= 0)
    add_to(sum_at(descent->table, (uint32_t)leaf->places[0]), count - members,
           leaf->first + (uint64_t)__builtin_ctzll(~halves.behind), _mm_sub_epi64(all, sums), near);
  const cvectors_window *window = &own->window;
  if (members > 0 && (uint32_t)cells[2] <= window->last_column - window->first_column &&
      (uint32_t)cells[3] <= window->last_row - window->first_row)
    add_to(sum_at(descent->table, (uint32_t)leaf->places[1]), members,
           leaf->first + (uint64_t)__builtin_ctzll(halves.behind), sums, far);
  return true;
}

/// Adds a leaf. Returns false, and adds nothing, if the cell of a point isn't certain.
INLINED bool add_leaf(Descent *descent, const Leaf *leaf) {
  const cvectors_node *node = leaf->node;
  const int32_t *cells = leaf->cells;
  // The latitudes of features beyond the projection don't follow from their points.
  if (node->min_y == 0 || node->max_y == UINT32_MAX) return false;
  size_t count = node->end - node->begin;
  uint32_t columns = (uint32_t)cells[2] - (uint32_t)cells[0], rows = (uint32_t)cells[3] - (uint32_t)cells[1];
  if (columns + rows == 1) return divide(descent, leaf, count, columns == 1);
  return columns <= 1 && rows <= 1 ? scatter(descent, leaf, count, true)
                                   : scatter(descent, leaf, count, false);
}

TARGET __attribute__((noinline)) static void add_leaves(Descent *descent) {
  for (unsigned number = 0; number < descent->leaves_count; number++) {
    const Leaf *leaf = &descent->leaves[number];
    if (!add_leaf(descent, leaf)) descent->unclear[descent->unclear_count++] = leaf->number;
  }
  descent->leaves_count = 0;
}

/// Properties of up to four siblings: four bits each.
typedef struct {
  unsigned clear, outside, single;
} Known;

INLINED unsigned all_of(unsigned bits) { return bits & bits >> 1 & bits >> 2 & bits >> 3 & 0x1111; }

INLINED unsigned any_of(unsigned bits) { return (bits | bits >> 1 | bits >> 2 | bits >> 3) & 0x1111; }

/// Finds the first and the last cells of two nodes, and their places.
INLINED void look(const cvectors_node *a, const cvectors_node *b, const Window *window, int shift, Known *known,
                  int32_t *cells, uint64_t *places) {
  Cells found = cells_of(_mm256_setr_m128i(_mm_loadu_si128((const __m128i *)&a->min_x),
                                           _mm_loadu_si128((const __m128i *)&b->min_x)), window);
  // The box begins behind the window, or ends before it.
  __m256i outside = _mm256_blend_epi32(_mm256_cmpgt_epi32(found.cells, window->last_cell), found.cells, 0xCC);
  known->clear |= lanes_of(found.clear) << shift;
  known->outside |= lanes_of(outside) << shift;
  known->single |= lanes_of(_mm256_cmpeq_epi32(found.cells, _mm256_shuffle_epi32(found.cells, 0x4E))) << shift;
  _mm256_store_si256((__m256i *)cells, found.cells);
  _mm256_store_si256((__m256i *)places, places_of(found.cells, window));
}

/// Fetches the first, the middle and the last of some bytes into the cache; the processor fetches those in between.
INLINED void prefetch(const void *bytes, size_t count) {
  _mm_prefetch((const char *)bytes, _MM_HINT_T0);
  _mm_prefetch((const char *)bytes + count / 2, _MM_HINT_T0);
  _mm_prefetch((const char *)bytes + count - 1, _MM_HINT_T0);
}

TARGET static size_t descend(const cvectors_descent *own, cvectors_siblings *queue, size_t *visited, uint64_t *unclear,
                             cvectors_table *table) {
  Descent descent;
  const Window window = window_of(own);
  descent.own = own;
  descent.window = window;
  descent.table = table;
  descent.unclear = unclear;
  descent.unclear_count = descent.wholes_count = descent.leaves_count = 0;
  size_t count = *visited;
  for (size_t next = 0; next < count; next++) {
    cvectors_siblings siblings = queue[next];
    const cvectors_block *block = own->blocks + (siblings.first >> 32);
    const cvectors_node *nodes = block->nodes + (uint32_t)siblings.first;
    _Alignas(32) int32_t cells[4][4];
    _Alignas(32) uint64_t places[4][2];
    Known known = {0, 0, 0};
    size_t last = siblings.count - 1;
    look(nodes, nodes + (last < 1 ? last : 1), &window, 0, &known, cells[0], places[0]);
    if (last > 1) look(nodes + 2, nodes + last, &window, 8, &known, cells[2], places[2]);
    unsigned clear = all_of(known.clear), single = all_of(known.single);
    unsigned wanted = ~(clear & any_of(known.outside)) & _bzhi_u32(0x1111, (unsigned)siblings.count * 4);
    for (; wanted; wanted &= wanted - 1) {
      unsigned bit = (unsigned)__builtin_ctz(wanted), number = bit / 4;
      const cvectors_node *node = nodes + number;
      if (!(clear >> bit & 1)) {
        descent.unclear[descent.unclear_count++] = siblings.first + number;
      } else if (single >> bit & 1) {
        const cvectors_node_sum *sum = block->sums + (node - block->nodes);
        _mm_prefetch((const char *)sum, _MM_HINT_T0);
        descent.wholes[descent.wholes_count++] =
            (Whole){node, sum, block->first + node->begin, (uint32_t)places[number][0]};
        if (descent.wholes_count == most_wholes) add_wholes(&descent);
      } else if (node->children == 0) {
        uint64_t first = block->first + node->begin;
        Leaf *leaf = &descent.leaves[descent.leaves_count++];
        leaf->node = node;
        leaf->sum = block->sums + (node - block->nodes);
        leaf->points = block->points + first;
        leaf->number = siblings.first + number;
        leaf->first = first;
        _mm_storeu_si128((__m128i *)leaf->cells, _mm_load_si128((const __m128i *)cells[number]));
        _mm_storeu_si128((__m128i *)leaf->places, _mm_load_si128((const __m128i *)places[number]));
        _mm_prefetch((const char *)leaf->sum, _MM_HINT_T0);
        prefetch(leaf->points, (node->end - node->begin) * sizeof *leaf->points);
        if (descent.leaves_count == most_leaves) add_leaves(&descent);
      } else {
        // Children are in the table of their parent, below the tree on top of the blocks.
        cvectors_siblings children = {(siblings.first >> 32 << 32) + (node->children >> 3), node->children & 7};
        prefetch(block->nodes + (uint32_t)children.first, children.count * sizeof *nodes);
        queue[count++] = children;
      }
    }
  }
  add_wholes(&descent);
  add_leaves(&descent);
  *visited = count;
  return descent.unclear_count;
}
