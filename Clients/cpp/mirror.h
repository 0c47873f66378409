// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "element.h"
#include "packed.h"
#include "parts.h"

namespace collection_layout {

// The elements that the server says are live, kept up to date by frames of either encoding.
class Mirror {
 public:
  // Units are those of packed elements and of checksums, as the server granted.
  // No units are 64.
  explicit Mirror(int units_per_point = 64) : units_(units_per_point == 0 ? 64 : units_per_point) {}

  // Applies a frame with its last part, and compares its checksum. Returns what to add to the scroll offset, or
  // nothing if more parts follow. Throws FrameError; then only a keyframe can follow, and further parts of the same
  // frame are passed over. Until it comes the elements may be neither those before the frame nor those after it.
  std::optional<Point> Apply(v1::LayoutFrame part);

  // Whether the server has the same elements, by its checksum.
  bool Confirms(const v1::Heartbeat& heartbeat) const {
    return heartbeat.last_frame_seq() == frame_seq() && heartbeat.live_count() == elements().size() &&
           heartbeat.has_state_checksum() && heartbeat.state_checksum() == checksum();
  }

  // The rest of a frame will not come, because its stream ended.
  void ForgetParts() {
    parts_ = {};
    refused_ = 0;
  }

  // By slot. An element keeps its slot while it lives, so views can be recycled by it.
  const std::map<std::uint32_t, Element>& elements() const { return elements_; }
  // Of the elements, as frames and heartbeats have it.
  std::uint32_t checksum() const { return checksum_; }
  // The newest frame; 0 = none.
  std::uint64_t frame_seq() const { return newest_.frame_seq(); }
  // The version of the data that the elements show.
  std::uint64_t data_version() const { return newest_.data_version(); }
  // The newest event that the elements reflect.
  std::uint64_t applied_event() const { return newest_.applied_event_seq(); }
  // Of the content, in points; x and y are 0.
  const Rect& content() const { return content_; }
  // The elements are complete within it.
  const Rect& coverage() const { return coverage_; }
  // The sections that scroll across the content and have elements here.
  const v1::SectionScrolls& section_scrolls() const { return section_scrolls_; }
  // How elements change as they scroll, where the client asked to apply that itself.
  const v1::ScrollEffects& scroll_effects() const { return scroll_effects_; }
  // The last part of the newest frame, without its elements: the transition, how scrolling is reported.
  const v1::LayoutFrame& newest() const { return newest_; }

 private:
  Point ApplyAll(FrameParts parts);
  void ApplyElements(const v1::LayoutFrame& part, FrameParts& parts);
  void Shift(const IndexShift& shift);
  void Put(std::uint32_t slot, Element element);
  void Remove(std::uint32_t slot);

  int units_;
  std::map<std::uint32_t, Element> elements_;
  std::uint32_t checksum_ = 0;
  std::vector<std::string> kind_names_;
  // Of what the elements hold besides themselves.
  std::size_t bytes_ = 0;
  FrameParts parts_;
  // The frame of which a part was refused; its further parts are passed over. 0 = none.
  std::uint64_t refused_ = 0;
  v1::LayoutFrame newest_;
  Rect content_, coverage_;
  v1::SectionScrolls section_scrolls_;
  v1::ScrollEffects scroll_effects_;
};

// The element that a message describes.
Element ElementOf(const v1::LayoutElement& message);

}  // namespace collection_layout
