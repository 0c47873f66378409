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

// The bytes of the texts that an element has for itself.
std::size_t TextBytes(const Element& element);

// How many slots or items runs stand for, however many there are. Throws FrameError, which names the column.
std::int64_t CountOfRuns(const google::protobuf::RepeatedField<std::int32_t>& column, const char* name);

// How many slots the index shifts of a part name, however many there are. Throws FrameError.
std::int64_t CountOfShifts(const v1::PackedElements& packed);

// These three make as many values as a part stands for, which the caller has counted.

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
