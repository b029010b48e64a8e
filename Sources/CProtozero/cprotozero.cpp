#include "cprotozero.h"

#include <memory>
#include <new>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

// Field numbers of the specification.
enum tile_field { tile_layers = 3 };
enum layer_field { layer_name = 1, layer_features = 2, layer_keys = 3, layer_values = 4, layer_extent = 5,
                   layer_version = 15 };
enum feature_field { feature_id = 1, feature_tags = 2, feature_type = 3, feature_geometry = 4 };
enum value_field { value_string = 1, value_double = 3, value_uint = 5, value_sint = 6, value_bool = 7 };
enum { type_point = 1, command_move_to_once = 1 << 3 | 1 };

// The numbers of encoded keys or values, in the order of their first use.
struct numbering {
  std::unordered_map<std::string, uint32_t> numbers;
  std::string encoded;
  uint32_t count = 0;

  // `write` encodes the text as a field of the layer.
  template <typename Write>
  uint32_t number(std::string_view text, Write write) {
    auto [place, isNew] = numbers.try_emplace(std::string(text), count);
    return isNew ? add(write) : place->second;
  }

  // Adds what is known to be new.
  template <typename Write>
  uint32_t add(Write write) {
    protozero::pbf_writer writer(encoded);
    write(writer);
    return count++;
  }
};

void add_integer(protozero::pbf_writer &writer, int64_t value) {
  if (value < 0) writer.add_sint64(value_sint, value);
  else writer.add_uint64(value_uint, uint64_t(value));
}

uint32_t zigzag(int32_t value) { return uint32_t(value) << 1 ^ uint32_t(value >> 31); }

}  // namespace

struct cpz_layer {
  std::string features, tile, text;
  std::string name;
  uint32_t extent = 0;
  numbering keys, values;
  // The tags of the next point: the numbers of keys and values in turn.
  std::vector<uint32_t> tags;
  // For each key the number of the point that had it last, from 1 on, and where its value is among the tags.
  std::vector<std::pair<uint32_t, size_t>> uses;
  uint32_t next_point = 1;
  bool has_failed = false;

  // Numbers a value whose message `write` encodes.
  template <typename Write>
  uint32_t value(Write write) noexcept {
    try {
      text.clear();
      protozero::pbf_writer writer(text);
      write(writer);
      return values.number(text, [&](auto &layer) { layer.add_bytes(layer_values, text); });
    } catch (...) {
      has_failed = true;
      return 0;
    }
  }
};

extern "C" {

cpz_layer *cpz_layer_begin(const void *name, size_t length, uint32_t extent) {
  try {
    auto layer = std::make_unique<cpz_layer>();
    layer->name.assign(static_cast<const char *>(name), length);
    layer->extent = extent;
    // Enough for most tiles, so that these don't grow one step after the other.
    layer->features.reserve(4096);
    layer->values.encoded.reserve(4096);
    layer->values.numbers.reserve(128);
    return layer.release();
  } catch (...) {
    return nullptr;
  }
}

void cpz_layer_free(cpz_layer *layer) { delete layer; }

uint32_t cpz_key(cpz_layer *layer, const void *bytes, size_t length) {
  try {
    std::string_view text(static_cast<const char *>(bytes), length);
    return layer->keys.number(text, [&](auto &writer) {
      writer.add_string(layer_keys, text.data(), text.size());
    });
  } catch (...) {
    layer->has_failed = true;
    return 0;
  }
}

uint32_t cpz_string(cpz_layer *layer, const void *bytes, size_t length) {
  return layer->value([&](auto &writer) {
    writer.add_string(value_string, static_cast<const char *>(bytes), length);
  });
}

uint32_t cpz_own_string(cpz_layer *layer, const void *bytes, size_t length) {
  try {
    return layer->values.add([&](auto &values) {
      protozero::pbf_writer value(values, layer_values);
      value.add_string(value_string, static_cast<const char *>(bytes), length);
    });
  } catch (...) {
    layer->has_failed = true;
    return 0;
  }
}

uint32_t cpz_own_integer(cpz_layer *layer, int64_t number) {
  try {
    return layer->values.add([&](auto &values) {
      protozero::pbf_writer value(values, layer_values);
      add_integer(value, number);
    });
  } catch (...) {
    layer->has_failed = true;
    return 0;
  }
}

uint32_t cpz_double(cpz_layer *layer, double value) {
  return layer->value([&](auto &writer) { writer.add_double(value_double, value); });
}

uint32_t cpz_integer(cpz_layer *layer, int64_t value) {
  return layer->value([&](auto &writer) { add_integer(writer, value); });
}

uint32_t cpz_bool(cpz_layer *layer, bool value) {
  return layer->value([&](auto &writer) { writer.add_bool(value_bool, value); });
}

void cpz_tag(cpz_layer *layer, uint32_t key, uint32_t value) {
  try {
    if (layer->uses.size() <= key) layer->uses.resize(size_t(key) + 1);
    auto &use = layer->uses[key];
    if (use.first == layer->next_point) {
      layer->tags[use.second] = value;
      return;
    }
    layer->tags.push_back(key);
    use = {layer->next_point, layer->tags.size()};
    layer->tags.push_back(value);
  } catch (...) {
    layer->has_failed = true;
  }
}

void cpz_point(cpz_layer *layer, const uint64_t *id, int32_t x, int32_t y) {
  try {
    protozero::pbf_writer features(layer->features);
    protozero::pbf_writer feature(features, layer_features);
    if (id != nullptr) feature.add_uint64(feature_id, *id);
    if (!layer->tags.empty()) feature.add_packed_uint32(feature_tags, layer->tags.begin(), layer->tags.end());
    feature.add_enum(feature_type, type_point);
    const uint32_t geometry[] = {command_move_to_once, zigzag(x), zigzag(y)};
    feature.add_packed_uint32(feature_geometry, geometry, geometry + 3);
    layer->tags.clear();
    layer->next_point++;
  } catch (...) {
    layer->has_failed = true;
  }
}

size_t cpz_size(const cpz_layer *layer) {
  return layer->features.size() + layer->keys.encoded.size() + layer->values.encoded.size();
}

const void *cpz_layer_end(cpz_layer *layer, size_t *size) {
  try {
    if (layer->has_failed) return nullptr;
    std::string content;
    content.reserve(cpz_size(layer) + layer->name.size() + 32);
    protozero::pbf_writer writer(content);
    writer.add_uint32(layer_version, 2);
    writer.add_string(layer_name, layer->name);
    content += layer->features;
    content += layer->keys.encoded;
    content += layer->values.encoded;
    writer.add_uint32(layer_extent, layer->extent);
    layer->tile.clear();
    protozero::pbf_writer(layer->tile).add_bytes(tile_layers, content);
    *size = layer->tile.size();
    return layer->tile.data();
  } catch (...) {
    return nullptr;
  }
}

}  // extern "C"
