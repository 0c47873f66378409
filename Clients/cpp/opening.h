// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collection_layout/v1/session.pb.h"

namespace collection_layout {

// Put what a session has applied into the opening of the one that would follow it.

// Puts a change over an older one: each field that is set replaces the old one as a whole, also with zeros, and
// sections keep the offsets that the change does not name.
void Merge(const v1::ViewportChange& change, v1::ViewportChange& viewport);

// Puts a change of columns over the changes before.
void Merge(const v1::TableChange& change, v1::TableChange& table);

// Notes which items were expanded and collapsed. What is below them is not known here, nor which items are in slots.
void Merge(const v1::OutlineChange& change, v1::ExpansionState& expansions);

}  // namespace collection_layout
