// SPDX-License-Identifier: Apache-2.0
#include "mirror.h"

#include <cmath>
#include <utility>

#include "checksum.h"

namespace collection_layout {

std::optional<Point> Mirror::Apply(v1::LayoutFrame part) {
  const bool is_last = !part.continued();
  parts_.push_back(std::move(part));
  if (!is_last) return std::nullopt;
  const std::vector<v1::LayoutFrame> parts = std::exchange(parts_, {});
  const v1::LayoutFrame& last = parts.back();
  for (const auto& each : parts)
    if (each.frame_seq() != last.frame_seq()) throw FrameError("parts of different frames");
  if (last.base_frame_seq() == 0) {
    elements_.clear();
    kind_names_.clear();
    checksum_ = 0;
    section_scrolls_.Clear();
  } else if (last.base_frame_seq() != frame_seq()) {
    throw FrameError("frame " + std::to_string(last.frame_seq()) + " follows " +
                     std::to_string(last.base_frame_seq()) + ", not " + std::to_string(frame_seq()));
  }
  for (const auto& each : parts) {
    ApplyElements(each);
    if (each.has_content_size())
      content_ = {0, 0, each.content_size().width(), each.content_size().height()};
    if (each.has_section_scrolls()) section_scrolls_ = each.section_scrolls();
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
  return Point{last.content_offset_adjustment().x(), last.content_offset_adjustment().y()};
}

void Mirror::ApplyElements(const v1::LayoutFrame& part) {
  if (!part.has_packed()) {
    for (std::uint32_t slot : part.elements().removed_slots()) Remove(slot);
    for (const auto& message : part.elements().upserts()) Put(message.slot(), ElementOf(message));
    return;
  }
  const v1::PackedElements& packed = part.packed();
  for (std::uint32_t slot : RemovedSlots(packed)) Remove(slot);
  for (const IndexShift& shift : IndexShifts(packed)) {
    const auto found = elements_.find(shift.slot);
    if (found == elements_.end()) throw FrameError("a slot is shifted and has no element");
    Element element = found->second;
    element.key.section += static_cast<std::uint32_t>(shift.section);
    if (element.key.item) *element.key.item += static_cast<std::uint32_t>(shift.item);
    Put(shift.slot, std::move(element));
  }
  kind_names_.insert(kind_names_.end(), packed.kind_names().begin(), packed.kind_names().end());
  for (auto& [slot, element] : PackedColumns(packed, kind_names_, units_)) Put(slot, std::move(element));
  for (const auto& message : packed.exceptions()) Put(message.slot(), ElementOf(message));
}

void Mirror::Put(std::uint32_t slot, Element element) {
  const Rect& frame = element.frame;
  for (double value : {frame.x, frame.y, frame.width, frame.height})
    if (!std::isfinite(value)) throw FrameError("a frame is not finite");
  if (!(element.alpha >= 0 && element.alpha <= 1)) throw FrameError("an alpha is not between 0 and 1");
  const auto [place, is_new] = elements_.try_emplace(slot);
  if (!is_new) checksum_ -= ElementHash(place->second, units_);
  place->second = std::move(element);
  checksum_ += ElementHash(place->second, units_);
}

void Mirror::Remove(std::uint32_t slot) {
  const auto found = elements_.find(slot);
  if (found == elements_.end()) throw FrameError("a slot is removed and has no element");
  checksum_ -= ElementHash(found->second, units_);
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
