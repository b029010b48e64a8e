// A C interface to protozero, which writes protocol buffers, for one layer of a Mapbox Vector Tile
// (https://github.com/mapbox/vector-tile-spec, version 2.1) with points. No function throws.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

/// A layer that is being written.
typedef struct cpz_layer cpz_layer;

/// Begins a layer with a name, whose coordinates go from 0 to extent; NULL without memory.
cpz_layer *_Nullable cpz_layer_begin(const void *name, size_t length, uint32_t extent);
void cpz_layer_free(cpz_layer *layer);

/// The number of a key or value in the layer, which is added if it is new.
uint32_t cpz_key(cpz_layer *layer, const void *bytes, size_t length);
uint32_t cpz_string(cpz_layer *layer, const void *bytes, size_t length);
/// The number of a value that is added without looking whether it is there.
uint32_t cpz_own_string(cpz_layer *layer, const void *bytes, size_t length);
uint32_t cpz_own_integer(cpz_layer *layer, int64_t value);
uint32_t cpz_double(cpz_layer *layer, double value);
uint32_t cpz_integer(cpz_layer *layer, int64_t value);
uint32_t cpz_bool(cpz_layer *layer, bool value);

/// Adds the numbers of a key and a value to the next point. Of several values of one key, the last counts.
void cpz_tag(cpz_layer *layer, uint32_t key, uint32_t value);

/// Adds a point with the tags since the last one, and with an id unless that is NULL.
void cpz_point(cpz_layer *layer, const uint64_t *_Nullable id, int32_t x, int32_t y);

/// About the bytes written so far.
size_t cpz_size(const cpz_layer *layer);

/// Ends the layer; returns the tile that holds nothing else, which lives as long as the layer. NULL if there was
/// no memory for it or for anything before.
const void *_Nullable cpz_layer_end(cpz_layer *layer, size_t *size);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif
