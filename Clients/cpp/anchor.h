// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mirror.h"

namespace collection_layout {

// Where the items in sight were, to find the place again in a new session. Items are told by their keys, because
// their index paths may be others by then.
class ScreenAnchor {
 public:
  // Empty at the start of the content, where a viewer stays, and where the mode is none.
  ScreenAnchor() = default;
  ScreenAnchor(const Mirror& mirror, const Rect& visible, v1::AnchorMode mode);

  // How far the first item that still exists has moved; nothing = none exists.
  std::optional<Point> Displacement(const Mirror& mirror) const;

 private:
  // In the order in which they are tried.
  std::vector<std::pair<std::string, Point>> places_;
};

}  // namespace collection_layout
