// SPDX-License-Identifier: Apache-2.0
#include "packed.h"

#include <limits>

namespace collection_layout {
namespace {

using Column = google::protobuf::RepeatedField<std::int32_t>;

// The most elements that one part of a frame may stand for. No frame has so many.
constexpr std::int64_t kMostElements = 1 << 18;
constexpr std::int64_t kMostIndex = std::numeric_limits<std::uint32_t>::max() - 1;

void Check(bool condition, const char* problem) {
  if (!condition) throw FrameError(problem);
}

// A column of differences: none = zeros, one = the same for all, else one for each element.
class Differences {
 public:
  Differences(const Column& column, int count) : column_(column) {
    Check(column.size() < 2 || column.size() == count, "a column has the wrong length");
    if (column.size() == 1) value_ = column[0];
  }

  // The next value. Sums of 2^18 differences of 32 bits cannot overflow.
  std::int64_t Next() {
    if (column_.size() > 1) value_ += column_[index_++];
    return value_;
  }

 private:
  const Column& column_;
  int index_ = 0;
  std::int64_t value_ = 0;
};

// How many values pairs of a difference and a length stand for.
std::int64_t CountOfRuns(const Column& column) {
  Check(column.size() % 2 == 0, "runs come in pairs");
  std::int64_t count = 0;
  for (int index = 1; index < column.size(); index += 2) {
    Check(column[index] > 0, "a run has no length");
    count += column[index];
    Check(count <= kMostElements, "runs have too many values");
  }
  return count;
}

// The values of such pairs; none = zeros.
class Runs {
 public:
  explicit Runs(const Column& column) : column_(column) { CountOfRuns(column); }

  Runs(const Column& column, int count) : column_(column) {
    Check(column.empty() || CountOfRuns(column) == count, "runs have the wrong length");
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

std::vector<std::uint32_t> RemovedSlots(const v1::PackedElements& packed) {
  Runs runs(packed.removed_slot_runs());
  std::vector<std::uint32_t> slots(static_cast<std::size_t>(CountOfRuns(packed.removed_slot_runs())));
  for (auto& slot : slots) slot = Slot(runs.Next());
  return slots;
}

std::vector<IndexShift> IndexShifts(const v1::PackedElements& packed) {
  const Column& column = packed.index_shift_runs();
  Check(column.size() % 4 == 0, "index shifts come in fours");
  std::vector<IndexShift> shifts;
  std::int64_t last = 0;
  for (int index = 0; index < column.size(); index += 4) {
    const std::int64_t first = last + column[index], count = column[index + 1];
    Check(count > 0, "an index shift has no slots");
    Check(static_cast<std::int64_t>(shifts.size()) + count <= kMostElements, "too many slots are shifted");
    last = first + count - 1;
    for (std::int64_t slot = first; slot <= last; ++slot)
      shifts.push_back({Slot(slot), column[index + 2], column[index + 3]});
  }
  return shifts;
}

std::vector<std::pair<std::uint32_t, Element>> PackedColumns(
    const v1::PackedElements& packed, const std::vector<std::string>& kind_names, int units_per_point) {
  Check(packed.upsert_count() <= kMostElements, "upsert_count is too large");
  const int count = static_cast<int>(packed.upsert_count());
  const double units = units_per_point;
  Runs slots(packed.slot_runs(), count), items(packed.item_runs(), count);
  Differences categories(packed.categories(), count), kinds(packed.kinds(), count);
  Differences sections(packed.sections(), count), z_indices(packed.z_indices(), count);
  Differences xs(packed.xs(), count), ys(packed.ys(), count);
  Differences widths(packed.widths(), count), heights(packed.heights(), count);
  Differences levels(packed.outline().levels(), count), states(packed.outline().states(), count);
  for (int size : {packed.alphas_size(), packed.hidden_size(), packed.item_keys_size(), packed.item_data_size()})
    Check(size < 2 || size == count, "a column has the wrong length");
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
    element.frame.width = static_cast<double>(widths.Next()) / units;
    element.frame.height = static_cast<double>(heights.Next()) / units;
    element.z_index = static_cast<std::int32_t>(z_index);
    element.alpha = Plain(packed.alphas(), index, 65535.0) / 65535;
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
    element.level = static_cast<std::uint32_t>(level);
    element.state = static_cast<v1::OutlineState>(state);
  }
  return result;
}

}  // namespace collection_layout
