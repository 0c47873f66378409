// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "element.h"

namespace collection_layout {

// So many elements can be live, can one frame put and shift together, and empty: more than any server sends.
inline constexpr std::int64_t kMostElements = 1 << 20;
// So many bytes the parts of one frame may have together, as they came, and the texts of its elements.
inline constexpr std::size_t kMostBytes = 1 << 30;
// So many parts one frame may have: those bytes in the parts of 64 KiB that servers send.
inline constexpr std::size_t kMostParts = 1 << 14;
// So many kinds a server can name from one keyframe to the next.
inline constexpr std::size_t kMostKinds = 1 << 16;
// Of the name of a kind, by the contract.
inline constexpr std::size_t kMostKindBytes = 128;

// Collects the parts of one frame, and counts what they stand for before any of it is made. The protocol guide tells
// why ("What clients refuse").
class FrameParts {
 public:
  // Takes the next part. Throws FrameError.
  void Add(v1::LayoutFrame part);

  // Notes that a slot is put or shifted, which a frame does with each only once. Throws FrameError.
  void Put(std::uint32_t slot);

  const std::vector<v1::LayoutFrame>& all() const { return parts_; }

 private:
  // Adds to a sum of elements that the frame changes.
  static void AddTo(std::int64_t& sum, const char* name, std::int64_t count);

  std::vector<v1::LayoutFrame> parts_;
  std::size_t bytes_ = 0;
  std::int64_t put_ = 0, removed_ = 0;
  std::unordered_set<std::uint32_t> slots_;
};

}  // namespace collection_layout
