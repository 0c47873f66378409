// SPDX-License-Identifier: Apache-2.0
#include "mirror.h"

#include <cmath>
#include <limits>
#include <utility>

#include "checksum.h"

namespace collection_layout {

namespace {

// The bytes that an element holds besides itself.
std::size_t BytesOf(const Element& element) {
  return TextBytes(element) + (element.message ? element.message->ByteSizeLong() : 0);
}

// An index after a shift.
std::uint32_t Shifted(std::uint32_t index, std::int32_t by) {
  const std::int64_t sum = static_cast<std::int64_t>(index) + by;
  if (sum < 0 || sum >= std::numeric_limits<std::uint32_t>::max())
    throw FrameError("index_shift_runs shifts the index " + std::to_string(index) + " by " + std::to_string(by));
  return static_cast<std::uint32_t>(sum);
}

void CheckKind(const std::string& name) {
  if (name.size() > kMostKindBytes)
    throw FrameError("a kind has " + std::to_string(name.size()) + " bytes; " + std::to_string(kMostKindBytes) +
                     " are allowed");
}

}  // namespace

std::optional<Point> Mirror::Apply(v1::LayoutFrame part) {
  const std::uint64_t sequence = part.frame_seq();
  const bool is_last = !part.continued(), is_passed_over = refused_ != 0 && refused_ == sequence;
  if (is_last || !is_passed_over) refused_ = 0;
  if (is_passed_over) return std::nullopt;
  try {
    parts_.Add(std::move(part));
    if (!is_last) return std::nullopt;
    return ApplyAll(std::exchange(parts_, {}));
  } catch (const FrameError&) {
    ForgetParts();
    if (!is_last) refused_ = sequence;
    throw;
  }
}

Point Mirror::ApplyAll(FrameParts frame) {
  const std::vector<v1::LayoutFrame>& parts = frame.all();
  const v1::LayoutFrame& last = parts.back();
  for (const auto& each : parts)
    if (each.frame_seq() != last.frame_seq()) throw FrameError("parts of different frames");
  if (last.base_frame_seq() == 0) {
    elements_.clear();
    kind_names_.clear();
    checksum_ = 0;
    bytes_ = 0;
    section_scrolls_.Clear();
    scroll_effects_.Clear();
  } else if (last.base_frame_seq() != frame_seq()) {
    throw FrameError("frame " + std::to_string(last.frame_seq()) + " follows " +
                     std::to_string(last.base_frame_seq()) + ", not " + std::to_string(frame_seq()));
  }
  for (const auto& each : parts) {
    ApplyElements(each, frame);
    if (each.has_content_size())
      content_ = {0, 0, each.content_size().width(), each.content_size().height()};
    if (each.has_section_scrolls()) section_scrolls_ = each.section_scrolls();
    if (each.has_scroll_effects()) scroll_effects_ = each.scroll_effects();
    if (each.has_coverage())
      coverage_ = {each.coverage().x(), each.coverage().y(), each.coverage().width(),
                   each.coverage().height()};
  }
  if (last.live_count() != elements_.size())
    throw FrameError(std::to_string(elements_.size()) + " elements instead of " +
                     std::to_string(last.live_count()));
  if (last.has_state_checksum() && last.state_checksum() != checksum_)
    throw FrameError("the checksum is another");
  newest_ = last;
  newest_.clear_body();
  return {last.content_offset_adjustment().x(), last.content_offset_adjustment().y()};
}

void Mirror::ApplyElements(const v1::LayoutFrame& part, FrameParts& parts) {
  const auto put = [&](std::uint32_t slot, Element element) {
    parts.Put(slot);
    Put(slot, std::move(element));
  };
  if (!part.has_packed()) {
    for (std::uint32_t slot : part.elements().removed_slots()) Remove(slot);
    for (const auto& message : part.elements().upserts()) put(message.slot(), ElementOf(message));
    return;
  }
  const v1::PackedElements& packed = part.packed();
  for (std::uint32_t slot : RemovedSlots(packed)) Remove(slot);
  for (const IndexShift& shift : IndexShifts(packed)) {
    parts.Put(shift.slot);
    Shift(shift);
  }
  const auto& names = packed.kind_names();
  const std::size_t added = static_cast<std::size_t>(names.size());
  if (kind_names_.size() + added > kMostKinds)
    throw FrameError("kind_names has " + std::to_string(added) + " names after " +
                     std::to_string(kind_names_.size()) + "; " + std::to_string(kMostKinds) +
                     " in all are allowed");
  for (const std::string& name : names) CheckKind(name);
  kind_names_.insert(kind_names_.end(), names.begin(), names.end());
  for (auto& [slot, element] : PackedColumns(packed, kind_names_, units_)) put(slot, std::move(element));
  for (const auto& message : packed.exceptions()) put(message.slot(), ElementOf(message));
}

void Mirror::Shift(const IndexShift& shift) {
  const auto found = elements_.find(shift.slot);
  if (found == elements_.end()) throw FrameError("a slot is shifted and has no element");
  Key& key = found->second.key;
  const std::uint32_t section = Shifted(key.section, shift.section);
  const auto item = key.item ? std::optional(Shifted(*key.item, shift.item)) : std::nullopt;
  checksum_ -= ElementHash(found->second, units_);
  key.section = section;
  key.item = item;
  checksum_ += ElementHash(found->second, units_);
}

void Mirror::Put(std::uint32_t slot, Element element) {
  const Rect& frame = element.frame;
  for (double value : {frame.x, frame.y, frame.width, frame.height})
    if (!std::isfinite(value)) throw FrameError("a frame is not finite");
  if (!(element.alpha >= 0 && element.alpha <= 1)) throw FrameError("an alpha is not between 0 and 1");
  const int category = element.key.category;
  if (category < v1::ELEMENT_CATEGORY_CELL || category > v1::ELEMENT_CATEGORY_DECORATION)
    throw FrameError("slot " + std::to_string(slot) + " has the category " + std::to_string(category) +
                     "; 1 to 3 are allowed");
  CheckKind(element.key.kind);
  const std::size_t bytes = BytesOf(element);
  if (bytes_ + bytes > kMostBytes)
    throw FrameError("the texts of the elements have " + std::to_string(bytes_ + bytes) + " bytes; " +
                     std::to_string(kMostBytes) + " are allowed");
  if (elements_.size() >= static_cast<std::size_t>(kMostElements) && !elements_.contains(slot))
    throw FrameError("there are " + std::to_string(kMostElements) + " elements, as many as are allowed");
  const auto [place, is_new] = elements_.try_emplace(slot);
  if (!is_new) {
    checksum_ -= ElementHash(place->second, units_);
    bytes_ -= BytesOf(place->second);
  }
  bytes_ += bytes;
  place->second = std::move(element);
  checksum_ += ElementHash(place->second, units_);
}

void Mirror::Remove(std::uint32_t slot) {
  const auto found = elements_.find(slot);
  if (found == elements_.end()) throw FrameError("a slot is removed and has no element");
  checksum_ -= ElementHash(found->second, units_);
  bytes_ -= BytesOf(found->second);
  elements_.erase(found);
}

Element ElementOf(const v1::LayoutElement& message) {
  const auto& attributes = message.attributes();
  const auto& path = message.key().index_path();
  const auto& frame = attributes.frame();
  Element element;
  element.key = {message.key().category(), message.key().kind(), path.section(), std::nullopt};
  if (path.has_item()) element.key.item = path.item();
  element.item_key = message.item_key();
  element.section_key = message.section_key();
  element.item_data = message.item_data();
  element.frame = {frame.x(), frame.y(), frame.width(), frame.height()};
  element.alpha = attributes.has_alpha() ? attributes.alpha() : 1;
  element.z_index = attributes.z_index();
  element.hidden = attributes.hidden();
  element.level = message.outline().level();
  element.state = message.outline().state();
  if (attributes.has_transform() || attributes.has_custom() || message.has_pin() || message.scrolls_across())
    element.message = std::make_shared<const v1::LayoutElement>(message);
  return element;
}

}  // namespace collection_layout
