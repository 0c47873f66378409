// SPDX-License-Identifier: Apache-2.0
#include "anchor.h"

#include <algorithm>
#include <map>

namespace collection_layout {
namespace {

bool IsItem(const Element& element) {
  return element.key.category == v1::ELEMENT_CATEGORY_CELL && !element.item_key.empty();
}

bool Meets(const Rect& one, const Rect& other) {
  return one.x < other.x + other.width && other.x < one.x + one.width && one.y < other.y + other.height &&
         other.y < one.y + one.height;
}

}  // namespace

ScreenAnchor::ScreenAnchor(const Mirror& mirror, const Rect& visible, v1::AnchorMode mode) {
  const bool is_last = mode == v1::ANCHOR_MODE_LAST_VISIBLE;
  if (mode == v1::ANCHOR_MODE_NONE || (!is_last && visible.x == 0 && visible.y == 0)) return;
  std::map<Key, const Element*> found;
  for (const auto& [slot, element] : mirror.elements()) {
    const Key place{{}, "", element.key.section, element.key.item};
    if (IsItem(element) && Meets(element.frame, visible)) found[place] = &element;
  }
  for (const auto& [key, element] : found)
    places_.emplace_back(element->item_key, Point{element->frame.x, element->frame.y});
  if (is_last) std::reverse(places_.begin(), places_.end());
}

std::optional<Point> ScreenAnchor::Displacement(const Mirror& mirror) const {
  if (places_.empty()) return std::nullopt;
  std::map<std::string, Point> origins;
  for (const auto& [slot, element] : mirror.elements())
    if (IsItem(element)) origins[element.item_key] = {element.frame.x, element.frame.y};
  for (const auto& [key, origin] : places_) {
    const auto found = origins.find(key);
    if (found != origins.end()) return Point{found->second.x - origin.x, found->second.y - origin.y};
  }
  return std::nullopt;
}

}  // namespace collection_layout
