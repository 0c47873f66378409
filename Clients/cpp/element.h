// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "collection_layout/v1/session.pb.h"

namespace collection_layout {

// A place in the content, in points from its upper left corner.
struct Point {
  double x = 0, y = 0;
  bool operator==(const Point&) const = default;
};

// An area, in points.
struct Rect {
  double x = 0, y = 0, width = 0, height = 0;
  bool operator==(const Rect&) const = default;
};

// Which element it is, at the data version of the mirror.
struct Key {
  v1::ElementCategory category = v1::ELEMENT_CATEGORY_UNSPECIFIED;
  // Of a cell its reuse kind, of others the element kind, such as "header".
  std::string kind;
  std::uint32_t section = 0;
  // Within the section; none = the element belongs to the section.
  std::optional<std::uint32_t> item;
  auto operator<=>(const Key&) const = default;
};

// One live element, in whichever encoding it came.
struct Element {
  Key key;
  // Of its item; empty = none.
  std::string item_key;
  // Of its section, where it has no item; empty = none.
  std::string section_key;
  // What its item carries for renderers, where the client asked for item data; empty = nothing.
  std::string item_data;
  // Before its transform.
  Rect frame;
  // Opacity, 0 to 1.
  double alpha = 1;
  // Higher is nearer to the viewer.
  std::int32_t z_index = 0;
  bool hidden = false;
  // In an outline: how many ancestors it has, and whether it is expanded.
  std::uint32_t level = 0;
  v1::OutlineState state = v1::OUTLINE_STATE_UNSPECIFIED;
  // All that the server said, where that is more than the above: a transform, a pin, custom attributes. Its
  // index path may be an older one than that of `key`.
  std::shared_ptr<const v1::LayoutElement> message;
};

}  // namespace collection_layout
