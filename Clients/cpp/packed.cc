// SPDX-License-Identifier: Apache-2.0
#include "packed.h"

#include <algorithm>
#include <limits>

#include "parts.h"

namespace collection_layout {
namespace {

using Column = google::protobuf::RepeatedField<std::int32_t>;

constexpr double kOpaque = 65535;
constexpr std::int64_t kMostIndex = std::numeric_limits<std::uint32_t>::max() - 1;

void Check(bool condition, const char* problem) {
  if (!condition) throw FrameError(problem);
}

// None, one for all, or one for each.
void CheckLength(int size, int count, const char* name) {
  if (size > 1 && size != count)
    throw FrameError(std::string(name) + " has " + std::to_string(size) + " values; none, 1 or " +
                     std::to_string(count) + " are allowed");
}

// A column of differences: none = zeros, one = the same for all, else one for each element.
class Differences {
 public:
  Differences(const Column& column, int count, const char* name) : column_(column) {
    CheckLength(column.size(), count, name);
    if (column.size() == 1) value_ = column[0];
  }

  // The next value. Sums of 2^20 differences of 32 bits cannot overflow.
  std::int64_t Next() {
    if (column_.size() > 1) value_ += column_[index_++];
    return value_;
  }

 private:
  const Column& column_;
  int index_ = 0;
  std::int64_t value_ = 0;
};

// The values of such pairs; none = zeros.
class Runs {
 public:
  explicit Runs(const Column& column) : column_(column) {}

  Runs(const Column& column, int count, const char* name) : column_(column) {
    if (column.empty()) return;
    const std::int64_t found = CountOfRuns(column, name);
    if (found != count)
      throw FrameError(std::string(name) + " has " + std::to_string(found) + " values; " +
                       std::to_string(count) + " are needed");
  }

  // There are as many as were counted.
  std::int64_t Next() {
    if (column_.empty()) return 0;
    if (left_ == 0) left_ = column_[index_ + 1];
    value_ += column_[index_];
    if (--left_ == 0) index_ += 2;
    return value_;
  }

 private:
  const Column& column_;
  int index_ = 0;
  std::int32_t left_ = 0;
  std::int64_t value_ = 0;
};

// The value of an element in a column without differences.
template <typename Values, typename Value>
Value Plain(const Values& column, int index, Value standard) {
  if (column.empty()) return standard;
  return static_cast<Value>(column[column.size() == 1 ? 0 : index]);
}

std::uint32_t Slot(std::int64_t value) {
  Check(value >= 0 && value <= kMostIndex, "a slot is out of range");
  return static_cast<std::uint32_t>(value);
}

}  // namespace

std::size_t TextBytes(const Element& element) {
  return element.key.kind.size() + element.item_key.size() + element.section_key.size() + element.item_data.size();
}

std::int64_t CountOfRuns(const Column& column, const char* name) {
  if (column.size() % 2 != 0)
    throw FrameError(std::string(name) + " has " + std::to_string(column.size()) +
                     " numbers; an even number is needed");
  std::int64_t count = 0;
  for (int index = 1; index < column.size(); index += 2) {
    if (column[index] <= 0)
      throw FrameError(std::string(name) + " has a run of " + std::to_string(column[index]) +
                       "; at least 1 is needed");
    count += column[index];
  }
  return count;
}

std::int64_t CountOfShifts(const v1::PackedElements& packed) {
  const Column& column = packed.index_shift_runs();
  if (column.size() % 4 != 0)
    throw FrameError("index_shift_runs has " + std::to_string(column.size()) +
                     " numbers; a multiple of four is needed");
  std::int64_t count = 0;
  for (int index = 1; index < column.size(); index += 4) {
    if (column[index] <= 0)
      throw FrameError("index_shift_runs has " + std::to_string(column[index]) + " slots; at least 1 is needed");
    count += column[index];
  }
  return count;
}

std::vector<std::uint32_t> RemovedSlots(const v1::PackedElements& packed) {
  const Column& column = packed.removed_slot_runs();
  Runs runs(column);
  std::vector<std::uint32_t> slots(static_cast<std::size_t>(CountOfRuns(column, "removed_slot_runs")));
  for (auto& slot : slots) slot = Slot(runs.Next());
  return slots;
}

std::vector<IndexShift> IndexShifts(const v1::PackedElements& packed) {
  const Column& column = packed.index_shift_runs();
  std::vector<IndexShift> shifts;
  std::int64_t last = 0;
  for (int index = 0; index < column.size(); index += 4) {
    const std::int64_t first = last + column[index], count = column[index + 1];
    last = first + count - 1;
    for (std::int64_t slot = first; slot <= last; ++slot)
      shifts.push_back({Slot(slot), column[index + 2], column[index + 3]});
  }
  return shifts;
}

std::vector<std::pair<std::uint32_t, Element>> PackedColumns(
    const v1::PackedElements& packed, const std::vector<std::string>& kind_names, int units_per_point) {
  const int count = static_cast<int>(packed.upsert_count());
  // Elements have different slots, so an empty column, which stands for zeros, fits one of them.
  if (count > 1 && packed.slot_runs().empty())
    throw FrameError("slot_runs is empty for " + std::to_string(count) + " elements");
  const double units = units_per_point;
  const auto& outline = packed.outline();
  Runs slots(packed.slot_runs(), count, "slot_runs"), items(packed.item_runs(), count, "item_runs");
  Differences categories(packed.categories(), count, "categories"), kinds(packed.kinds(), count, "kinds");
  Differences sections(packed.sections(), count, "sections");
  Differences z_indices(packed.z_indices(), count, "z_indices");
  Differences xs(packed.xs(), count, "xs"), ys(packed.ys(), count, "ys");
  Differences widths(packed.widths(), count, "widths"), heights(packed.heights(), count, "heights");
  Differences levels(outline.levels(), count, "outline.levels"), states(outline.states(), count, "outline.states");
  CheckLength(packed.alphas_size(), count, "alphas");
  CheckLength(packed.hidden_size(), count, "hidden");
  CheckLength(packed.item_keys_size(), count, "item_keys");
  CheckLength(packed.item_data_size(), count, "item_data");
  // One text for all is copied for each.
  std::size_t bytes = 0;
  int of_sections = 0;
  std::vector<std::pair<std::uint32_t, Element>> result(static_cast<std::size_t>(count));
  for (int index = 0; index < count; ++index) {
    auto& [slot, element] = result[static_cast<std::size_t>(index)];
    slot = Slot(slots.Next());
    const std::int64_t category = categories.Next(), kind = kinds.Next();
    const std::int64_t section = sections.Next(), item = items.Next(), z_index = z_indices.Next();
    const std::int64_t level = levels.Next(), state = states.Next();
    Check(category > 0 && category <= v1::ELEMENT_CATEGORY_DECORATION, "a category is out of range");
    Check(kind >= 0 && kind < static_cast<std::int64_t>(kind_names.size()), "a kind has no name");
    Check(section >= 0 && section <= kMostIndex && item >= 0 && item <= kMostIndex + 1,
          "an index path is out of range");
    Check(z_index == static_cast<std::int32_t>(z_index) && level >= 0 && level <= kMostIndex &&
              state == static_cast<std::int32_t>(state),
          "a z-index or a place in an outline is out of range");
    element.key = {static_cast<v1::ElementCategory>(category), kind_names[static_cast<std::size_t>(kind)],
                   static_cast<std::uint32_t>(section), std::nullopt};
    if (item > 0) element.key.item = static_cast<std::uint32_t>(item - 1);
    element.frame.x = (static_cast<double>(packed.origin_x()) + static_cast<double>(xs.Next())) / units;
    element.frame.y = (static_cast<double>(packed.origin_y()) + static_cast<double>(ys.Next())) / units;
    const std::int64_t width = widths.Next(), height = heights.Next();
    Check(width >= 0 && height >= 0, "a width or a height is negative");
    element.frame.width = static_cast<double>(width) / units;
    element.frame.height = static_cast<double>(height) / units;
    element.z_index = static_cast<std::int32_t>(z_index);
    element.alpha = std::min(Plain(packed.alphas(), index, kOpaque), kOpaque) / kOpaque;
    element.hidden = Plain(packed.hidden(), index, false);
    if (packed.item_keys_size() > 0)
      element.item_key = packed.item_keys(packed.item_keys_size() == 1 ? 0 : index);
    if (packed.item_data_size() > 0)
      element.item_data = packed.item_data(packed.item_data_size() == 1 ? 0 : index);
    if (item == 0 && packed.section_keys_size() > 0) {
      const int key = packed.section_keys_size() == 1 ? 0 : of_sections++;
      Check(key < packed.section_keys_size(), "an element has no key of its section");
      element.section_key = packed.section_keys(key);
    }
    bytes += TextBytes(element);
    if (bytes > kMostBytes)
      throw FrameError("the texts of " + std::to_string(index + 1) + " elements have " + std::to_string(bytes) +
                       " bytes; " + std::to_string(kMostBytes) + " are allowed");
    element.level = static_cast<std::uint32_t>(level);
    element.state = static_cast<v1::OutlineState>(state);
  }
  if (packed.section_keys_size() > 1 && packed.section_keys_size() != of_sections)
    throw FrameError("section_keys has " + std::to_string(packed.section_keys_size()) + " values for " +
                     std::to_string(of_sections) + " elements of sections");
  return result;
}

}  // namespace collection_layout
