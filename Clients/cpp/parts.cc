// SPDX-License-Identifier: Apache-2.0
#include "parts.h"

#include <string>

#include "packed.h"

namespace collection_layout {

void FrameParts::Add(v1::LayoutFrame part) {
  if (parts_.size() >= kMostParts)
    throw FrameError("a frame has more than " + std::to_string(kMostParts) + " parts");
  bytes_ += part.ByteSizeLong();
  if (bytes_ > kMostBytes)
    throw FrameError("the parts of a frame have " + std::to_string(bytes_) + " bytes; " +
                     std::to_string(kMostBytes) + " are allowed");
  if (part.has_packed()) {
    const v1::PackedElements& packed = part.packed();
    AddTo(removed_, "removed_slot_runs", CountOfRuns(packed.removed_slot_runs(), "removed_slot_runs"));
    AddTo(put_, "index_shift_runs", CountOfShifts(packed));
    AddTo(put_, "upsert_count", packed.upsert_count());
    AddTo(put_, "exceptions", packed.exceptions_size());
  } else {
    AddTo(removed_, "removed_slots", part.elements().removed_slots_size());
    AddTo(put_, "upserts", part.elements().upserts_size());
  }
  parts_.push_back(std::move(part));
}

void FrameParts::Put(std::uint32_t slot) {
  if (!slots_.insert(slot).second)
    throw FrameError("slot " + std::to_string(slot) + " is put twice in one frame; once is allowed");
}

void FrameParts::AddTo(std::int64_t& sum, const char* name, std::int64_t count) {
  if (count > kMostElements - sum)
    throw FrameError(std::string(name) + " has " + std::to_string(count) + " elements after " +
                     std::to_string(sum) + " of the same frame; " + std::to_string(kMostElements) +
                     " in all are allowed");
  sum += count;
}

}  // namespace collection_layout
