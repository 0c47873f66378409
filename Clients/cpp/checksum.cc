// SPDX-License-Identifier: Apache-2.0
#include "checksum.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace collection_layout {
namespace {

constexpr double kLimit = 4611686018427387904.0;  // 2^62

std::uint32_t Mix(std::uint32_t h) {
  h ^= h >> 16;
  h *= 0x85EBCA6B;
  h ^= h >> 13;
  h *= 0xC2B2AE35;
  return h ^ h >> 16;
}

// A coordinate in units. Numbers of elements in a mirror are finite.
std::int64_t Edge(double value, int units) {
  return static_cast<std::int64_t>(std::floor(std::clamp(value * units + 0.5, -kLimit, kLimit)));
}

}  // namespace

std::uint32_t KindHash(std::string_view kind) {
  std::uint32_t h = 0x811C9DC5;
  for (char byte : kind) h = (h ^ static_cast<unsigned char>(byte)) * 0x01000193;
  return h;
}

std::uint32_t ElementHash(const Element& element, int units) {
  const Rect& frame = element.frame;
  const std::int64_t left = Edge(frame.x, units), top = Edge(frame.y, units);
  // A difference beyond 64 bits wraps, and only its lowest 64 bits count.
  const auto length = [units](double end, std::int64_t start) {
    return static_cast<std::int64_t>(
        static_cast<std::uint64_t>(Edge(end, units)) - static_cast<std::uint64_t>(start));
  };
  const std::int64_t fields[] = {
      element.key.category,
      KindHash(element.key.kind),
      element.key.section,
      element.key.item ? static_cast<std::int64_t>(*element.key.item) + 1 : 0,
      left,
      top,
      length(frame.x + frame.width, left),
      length(frame.y + frame.height, top),
      element.z_index,
      static_cast<std::int64_t>(std::floor(element.alpha * 65535 + 0.5)),
      element.hidden ? 1 : 0,
  };
  std::uint32_t h = 0x434C5631;
  for (std::int64_t field : fields) {
    const auto bits = static_cast<std::uint64_t>(field);
    for (std::uint64_t word : {bits, bits >> 32}) {
      h = Mix(h ^ static_cast<std::uint32_t>(word));
      h = std::rotl(h, 13) * 5 + 0xE6546B64;
    }
  }
  return Mix(h);
}

}  // namespace collection_layout
