// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "element.h"

namespace collection_layout {

// A frame that does not fit the elements from before. A keyframe sets it right.
class FrameError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Reads the slots that a part of a frame empties. Throws FrameError.
std::vector<std::uint32_t> RemovedSlots(const v1::PackedElements& packed);

// An element of which only the index path has changed: what to add to it.
struct IndexShift {
  std::uint32_t slot;
  std::int32_t section, item;
};

// Reads the index shifts of a part of a frame, slot by slot. Throws FrameError.
std::vector<IndexShift> IndexShifts(const v1::PackedElements& packed);

// Reads the elements of the columns, with their slots, without the exceptions. `kind_names` are all since the
// keyframe, those of `packed` included. Throws FrameError.
std::vector<std::pair<std::uint32_t, Element>> PackedColumns(
    const v1::PackedElements& packed, const std::vector<std::string>& kind_names, int units_per_point);

}  // namespace collection_layout
