// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "element.h"

namespace collection_layout {

// FNV-1a of the kind's UTF-8.
std::uint32_t KindHash(std::string_view kind);

// The hash of an element in the state checksum; `units_per_point` is 64 or 192, as the server granted.
std::uint32_t ElementHash(const Element& element, int units_per_point);

}  // namespace collection_layout
