// SPDX-License-Identifier: Apache-2.0
#include "opening.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace collection_layout {
namespace {

using Keys = google::protobuf::RepeatedPtrField<std::string>;

// More keys than servers accept by default would end the session where it could go on.
constexpr int kMostKeys = 10'000;
// Servers accept as many offsets of sections. The newest are kept.
constexpr std::size_t kMostOffsets = 4096;

// Moves keys to the end of a list, and out of another one.
void MoveKeys(const Keys& keys, Keys& to, Keys& from) {
  const std::set<std::string> moved(keys.begin(), keys.end());
  for (Keys* list : {&to, &from})
    list->erase(std::remove_if(list->begin(), list->end(), [&](const auto& key) { return moved.contains(key); }),
                list->end());
  to.Add(moved.begin(), moved.end());
}

// Forgets the oldest keys of the longer list, beyond as many as are sent.
void Bound(Keys& one, Keys& other) {
  const int extra = one.size() + other.size() - kMostKeys;
  if (extra <= 0) return;
  Keys& longer = one.size() > other.size() ? one : other;
  longer.DeleteSubrange(0, std::min(extra, longer.size()));
}

}  // namespace

void Merge(const v1::ViewportChange& change, v1::ViewportChange& viewport) {
  std::set<std::uint32_t> named;
  for (const auto& section : change.section_offsets()) named.insert(section.section());
  std::vector<v1::SectionOffset> offsets;
  for (const auto& section : viewport.section_offsets())
    if (!named.contains(section.section())) offsets.push_back(section);
  offsets.insert(offsets.end(), change.section_offsets().begin(), change.section_offsets().end());
  // Protobuf would put the parts together field by field, and take zeros for what is not set.
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  change.GetReflection()->ListFields(change, &fields);
  for (const auto* field : fields) viewport.GetReflection()->ClearField(&viewport, field);
  viewport.MergeFrom(change);
  viewport.clear_section_offsets();
  const std::size_t first = offsets.size() - std::min(offsets.size(), kMostOffsets);
  for (std::size_t place = first; place < offsets.size(); ++place) *viewport.add_section_offsets() = offsets[place];
}

void Merge(const v1::TableChange& change, v1::TableChange& table) {
  if (change.reset()) table.Clear();
  std::map<std::string, v1::TableColumnChange> columns;
  for (const v1::TableChange* each : {&std::as_const(table), &change})
    for (const auto& column : each->columns()) columns[column.id()] = column;
  table.clear_columns();
  for (const auto& [id, column] : columns) {
    // Without fields a column is as the layout has it.
    if (column.has_width() || column.has_hidden() || column.place() != v1::TABLE_COLUMN_PLACE_UNSPECIFIED)
      *table.add_columns() = column;
  }
  if (change.has_order()) *table.mutable_order() = change.order();
}

void Merge(const v1::OutlineChange& change, v1::ExpansionState& expansions) {
  Keys &expanded = *expansions.mutable_expanded(), &collapsed = *expansions.mutable_collapsed();
  MoveKeys(change.expand(), expanded, collapsed);
  MoveKeys(change.collapse(), collapsed, expanded);
  Bound(expanded, collapsed);
}

}  // namespace collection_layout
