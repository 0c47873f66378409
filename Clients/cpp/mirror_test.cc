// SPDX-License-Identifier: Apache-2.0
// Checksums and the packed encoding, with the examples of Documentation/protocol.md, and frames that do not fit.

#include "mirror.h"

#include <functional>

#include "checksum.h"
#include "testing.h"

using namespace collection_layout;

namespace {

Element MakeElement(v1::ElementCategory category, const std::string& kind, std::uint32_t section,
                    std::optional<std::uint32_t> item, Rect frame) {
  Element element;
  element.key = {category, kind, section, item};
  element.frame = frame;
  return element;
}

void TestChecksums() {
  const Element cell = MakeElement(v1::ELEMENT_CATEGORY_CELL, "", 0, 0, {0, 0, 390, 44});
  Element header = MakeElement(
      v1::ELEMENT_CATEGORY_SUPPLEMENTARY, "header", 3, std::nullopt, {0, 520.5, 390, 32});
  header.z_index = 10;
  Element photo = MakeElement(v1::ELEMENT_CATEGORY_CELL, "photo", 1, 41, {1.0 / 3, 0, 1.0 / 3, 1});
  photo.z_index = -1;
  photo.alpha = 0.5;
  CHECK(KindHash("") == 2166136261 && KindHash("header") == 3834172512 && KindHash("photo") == 2166822627);
  CHECK(ElementHash(cell, 64) == 0x6e65c60f);
  CHECK(ElementHash(header, 64) == 0xa1f59aaa);
  CHECK(ElementHash(photo, 64) == 0xfbfd69c0);
  // Lengths beyond all units wrap and do not trap.
  ElementHash(MakeElement(v1::ELEMENT_CATEGORY_CELL, "", 0, 0, {-1e300, -1e300, 1.7e308, 1e301}), 192);
}

template <typename Numbers>
void Fill(Numbers* column, std::initializer_list<std::int32_t> values) {
  column->Add(values.begin(), values.end());
}

// Six elements: a keyframe in columns, of which `slots` and `items` are runs.
v1::LayoutFrame Keyframe() {
  v1::LayoutFrame frame;
  frame.set_frame_seq(1);
  frame.set_live_count(6);
  auto* packed = frame.mutable_packed();
  packed->set_upsert_count(6);
  Fill(packed->mutable_slot_runs(), {3, 1, 1, 2, 4, 1, -1, 2});
  Fill(packed->mutable_item_runs(), {1, 5, -5, 1});
  Fill(packed->mutable_categories(), {1, 0, 0, 0, 0, 1});
  Fill(packed->mutable_kinds(), {0, 0, 0, 0, 0, 1});
  packed->add_kind_names("");
  packed->add_kind_names("header");
  packed->set_origin_y(6400);
  Fill(packed->mutable_ys(), {0, 64, 64, 64, 64, -320});
  Fill(packed->mutable_widths(), {640});
  Fill(packed->mutable_heights(), {64});
  Fill(packed->mutable_alphas(), {32768});
  return frame;
}

void TestColumns() {
  Mirror mirror(64);
  CHECK(mirror.Apply(Keyframe()).has_value());
  std::vector<std::uint32_t> slots;
  for (const auto& [slot, element] : mirror.elements()) slots.push_back(slot);
  CHECK((slots == std::vector<std::uint32_t>{3, 4, 5, 7, 8, 9}));
  const Element& first = mirror.elements().at(3);
  CHECK((first.key == Key{v1::ELEMENT_CATEGORY_CELL, "", 0, 0u}));
  CHECK((first.frame == Rect{0, 100, 10, 1}) && first.alpha == 32768.0 / 65535);
  const Element& header = mirror.elements().at(7);
  CHECK((header.key == Key{v1::ELEMENT_CATEGORY_SUPPLEMENTARY, "header", 0, std::nullopt}));
  CHECK(mirror.elements().at(8).frame.y == 104 && header.frame.y == 99);
  std::uint32_t sum = 0;
  for (const auto& [slot, element] : mirror.elements()) sum += ElementHash(element, 64);
  CHECK(mirror.checksum() == sum);

  // As in the protocol guide: slots 3 and 4 go on by one item, slot 8 by one section.
  v1::LayoutFrame shift;
  shift.set_frame_seq(2);
  shift.set_base_frame_seq(1);
  shift.set_live_count(4);
  Fill(shift.mutable_packed()->mutable_removed_slot_runs(), {5, 1, 4, 1});
  Fill(shift.mutable_packed()->mutable_index_shift_runs(), {3, 2, 0, 1, 4, 1, 1, 0});
  mirror.Apply(shift);
  CHECK(mirror.elements().size() == 4 && !mirror.elements().contains(5));
  CHECK(*mirror.elements().at(3).key.item == 1 && *mirror.elements().at(4).key.item == 2);
  CHECK(mirror.elements().at(8).key.section == 1);
}

void TestNoUnits() {
  Mirror mirror(0);
  CHECK(mirror.Apply(Keyframe()).has_value());
  CHECK(mirror.elements().at(3).frame.y == 100);
}

void TestParts() {
  Mirror mirror;
  v1::LayoutFrame part;
  part.set_frame_seq(1);
  part.set_continued(true);
  part.mutable_elements()->add_upserts()->mutable_key()->set_category(v1::ELEMENT_CATEGORY_CELL);
  CHECK(!mirror.Apply(part) && mirror.elements().empty());
  part.set_continued(false);
  part.set_live_count(2);
  part.mutable_elements()->mutable_upserts(0)->set_slot(1);
  part.mutable_content_offset_adjustment()->set_y(7);
  CHECK((mirror.Apply(part) == Point{0, 7}) && mirror.elements().size() == 2);
}

// Each of the faults is refused, and a keyframe sets it right.
void TestFaults() {
  const auto faults = std::vector<void (*)(v1::LayoutFrame&)>{
      [](auto& frame) { frame.set_base_frame_seq(9); },
      [](auto& frame) { frame.set_live_count(5); },
      [](auto& frame) { frame.set_state_checksum(1); },
      [](auto& frame) { Fill(frame.mutable_packed()->mutable_removed_slot_runs(), {77, 1}); },
      [](auto& frame) { Fill(frame.mutable_packed()->mutable_removed_slot_runs(), {1}); },
      [](auto& frame) { Fill(frame.mutable_packed()->mutable_removed_slot_runs(), {1, 1 << 30}); },
      [](auto& frame) { Fill(frame.mutable_packed()->mutable_removed_slot_runs(), {-1, 1}); },
      [](auto& frame) { Fill(frame.mutable_packed()->mutable_index_shift_runs(), {77, 1, 0, 1}); },
      [](auto& frame) { Fill(frame.mutable_packed()->mutable_index_shift_runs(), {3, -1, 0, 1}); },
      [](auto& frame) { frame.mutable_packed()->set_upsert_count(4'000'000'000); },
      [](auto& frame) { Fill(frame.mutable_packed()->mutable_index_shift_runs(), {3, 1, 0, -1}); },
      [](auto& frame) { frame.mutable_packed()->add_exceptions()->set_slot(77); },
      [](auto& frame) {
        frame.mutable_packed()->set_upsert_count(1);
        Fill(frame.mutable_packed()->mutable_kinds(), {2});
        Fill(frame.mutable_packed()->mutable_categories(), {1});
      },
      [](auto& frame) {
        frame.mutable_packed()->set_upsert_count(3);
        Fill(frame.mutable_packed()->mutable_slot_runs(), {20, 1, 1, 2});
        Fill(frame.mutable_packed()->mutable_xs(), {1, 2});
      },
      [](auto& frame) {
        frame.mutable_packed()->set_upsert_count(1);
        Fill(frame.mutable_packed()->mutable_slot_runs(), {3, 1});
        Fill(frame.mutable_packed()->mutable_categories(), {1});
        Fill(frame.mutable_packed()->mutable_widths(), {-1});
      },
      [](auto& frame) {
        frame.mutable_packed()->set_upsert_count(1);
        Fill(frame.mutable_packed()->mutable_slot_runs(), {3, 1});
        Fill(frame.mutable_packed()->mutable_categories(), {2});
        frame.mutable_packed()->add_section_keys("a");
        frame.mutable_packed()->add_section_keys("b");
      },
      [](auto& frame) {
        auto* box = frame.mutable_packed()->add_exceptions()->mutable_attributes()->mutable_frame();
        box->set_x(std::numeric_limits<double>::quiet_NaN());
      },
  };
  for (const auto& fault : faults) {
    Mirror mirror;
    mirror.Apply(Keyframe());
    v1::LayoutFrame frame;
    frame.set_frame_seq(2);
    frame.set_base_frame_seq(1);
    frame.set_live_count(6);
    fault(frame);
    bool was_refused = false;
    try {
      mirror.Apply(frame);
    } catch (const FrameError&) {
      was_refused = true;
    }
    CHECK(was_refused);
    mirror.Apply(Keyframe());
    CHECK(mirror.elements().size() == 6);
  }
}

v1::LayoutFrame Part(const std::function<void(v1::PackedElements&)>& fill) {
  v1::LayoutFrame part;
  part.set_frame_seq(2);
  part.mutable_packed()->add_kind_names("a");
  Fill(part.mutable_packed()->mutable_categories(), {v1::ELEMENT_CATEGORY_CELL});
  fill(*part.mutable_packed());
  return part;
}

v1::LayoutFrame Columns(std::uint32_t count, std::initializer_list<std::int32_t> slots) {
  return Part([&](auto& packed) {
    packed.set_upsert_count(count);
    Fill(packed.mutable_slot_runs(), slots);
  });
}

v1::LayoutFrame Messages(int upserts, std::initializer_list<std::uint32_t> removed = {}) {
  v1::LayoutFrame part;
  part.set_frame_seq(2);
  part.mutable_elements()->mutable_removed_slots()->Add(removed.begin(), removed.end());
  for (int slot = 0; slot < upserts; ++slot) {
    auto* element = part.mutable_elements()->add_upserts();
    element->set_slot(static_cast<std::uint32_t>(slot));
    element->mutable_key()->set_category(v1::ELEMENT_CATEGORY_CELL);
  }
  return part;
}

// Applies the parts of a frame, all but the last with `continued`, and returns why it is refused.
std::string Refusal(Mirror& mirror, const std::vector<v1::LayoutFrame>& parts) {
  try {
    for (std::size_t index = 0; index < parts.size(); ++index) {
      v1::LayoutFrame part = parts[index];
      part.set_continued(index + 1 < parts.size());
      mirror.Apply(part);
    }
  } catch (const FrameError& error) {
    return error.what();
  }
  return "";
}

// What all parts of a frame stand for is bounded before any of it is made.
void TestBounds() {
  const int most = 1 << 20;
  // 33 bytes, all for one slot.
  const v1::LayoutFrame all = Columns(most, {0, most});
  const auto exceptions = Part([](auto& packed) {
    packed.add_exceptions()->mutable_key()->set_category(v1::ELEMENT_CATEGORY_CELL);
  });
  const auto shifts = [](std::initializer_list<std::int32_t> runs) {
    return Part([&](auto& packed) { Fill(packed.mutable_index_shift_runs(), runs); });
  };
  const auto removed = [](std::initializer_list<std::int32_t> runs) {
    return Part([&](auto& packed) { Fill(packed.mutable_removed_slot_runs(), runs); });
  };
  const auto texts = [&](const std::string& data, const std::string& kind) {
    v1::LayoutFrame part = Columns(1000, {1, 1000});
    part.mutable_packed()->add_item_data(data);
    part.mutable_packed()->set_kind_names(0, kind);
    return part;
  };
  struct Example {
    std::vector<v1::LayoutFrame> parts;
    std::string says;
  };
  const std::vector<Example> examples{
      {std::vector(64, all), "upsert_count has 1048576 elements after 1048576 of the same frame; 1048576 in all"},
      {{all}, "slot 0 is put twice in one frame"},
      {{Columns(4'294'967'295, {})}, "upsert_count has 4294967295 elements after 0 "},
      {{Columns(2, {})}, "slot_runs is empty for 2 elements"},
      {{Columns(2, {1, 1})}, "slot_runs has 1 values; 2 are needed"},
      {{exceptions, all}, "upsert_count has 1048576 elements after 1 "},
      {{all, exceptions}, "exceptions has 1 elements after 1048576 "},
      {{all, Messages(1)}, "upserts has 1 elements after 1048576 "},
      {{all, shifts({0, 1, 0, 1})}, "index_shift_runs has 1 elements after 1048576 "},
      {{shifts({0, 2147483647, 0, 1})}, "index_shift_runs has 2147483647 elements"},
      {{exceptions, shifts({0, 1, 0, 1})}, "slot 0 is put twice"},
      {{exceptions, exceptions}, "slot 0 is put twice"},
      {{exceptions, Messages(1)}, "slot 0 is put twice"},
      {std::vector(2, removed({1, 600'000})), "removed_slot_runs has 600000 elements after 600000 "},
      {{removed({1, most}), Messages(0, {3})}, "removed_slots has 1 elements after 1048576 "},
      {{removed({1, 2147483647, 1, -2147483646})}, "removed_slot_runs has a run of -2147483646; at least 1"},
      {{texts("", std::string(129, 'k'))}, "a kind has 129 bytes; 128 are allowed"},
      {{texts(std::string(2 << 20, 'x'), "a")}, "the texts of 512 elements have 1073742336 bytes; 1073741824"},
      {{Part([](auto& packed) {
         for (int index = 0; index < 1 << 16; ++index) packed.add_kind_names("a");
       })},
       "kind_names has 65537 names after 0; 65536 in all"},
      {std::vector(16'385, Messages(0)), "a frame has more than 16384 parts"},
  };
  for (const auto& [parts, says] : examples) {
    Mirror mirror;
    const std::string problem = Refusal(mirror, parts);
    if (!problem.starts_with(says)) std::cerr << "'" << problem << "' instead of '" << says << "'\n";
    CHECK(problem.starts_with(says));
    CHECK(mirror.elements().size() <= 1);
  }

  // The rest of a frame of which a part was refused is passed over.
  Mirror mirror;
  CHECK(Refusal(mirror, {Columns(4'294'967'295, {}), Messages(1)}) != "");
  CHECK(!mirror.Apply(Messages(1)) && mirror.elements().empty());
  CHECK(mirror.Apply(Keyframe()) && mirror.elements().size() == 6);
}

// Effects are in the first part of a frame, and hold until a keyframe has none.
void TestScrollEffects() {
  v1::LayoutFrame first = Keyframe(), last;
  first.set_continued(true);
  first.mutable_scroll_effects()->set_scroll_axis(v1::SCROLL_DIRECTION_HORIZONTAL);
  last.set_frame_seq(1);
  last.set_live_count(6);
  Mirror mirror;
  mirror.Apply(first);
  CHECK(mirror.Apply(last) && mirror.scroll_effects().scroll_axis() == v1::SCROLL_DIRECTION_HORIZONTAL);
  v1::LayoutFrame next;
  next.set_frame_seq(2);
  next.set_base_frame_seq(1);
  next.set_live_count(6);
  CHECK(mirror.Apply(next) && mirror.scroll_effects().scroll_axis() == v1::SCROLL_DIRECTION_HORIZONTAL);
  CHECK(mirror.Apply(Keyframe()) && mirror.scroll_effects().scroll_axis() == v1::SCROLL_DIRECTION_UNSPECIFIED);
}

void TestAlphasAreBounded() {
  v1::LayoutFrame frame = Keyframe();
  frame.mutable_packed()->clear_alphas();
  frame.mutable_packed()->add_alphas(70'000);
  frame.clear_state_checksum();
  Mirror mirror;
  CHECK(mirror.Apply(frame) && mirror.elements().begin()->second.alpha == 1);
}

// A frame may change as many elements as are ever sent.
void TestMost() {
  const std::uint32_t count = 1'001'000;
  const auto runs = {0, 1, 1, static_cast<std::int32_t>(count) - 1};
  v1::LayoutFrame keyframe = Columns(count, runs), shift = keyframe, exchange = keyframe;
  keyframe.set_live_count(count);
  shift.clear_body();
  Fill(shift.mutable_packed()->mutable_index_shift_runs(), {0, static_cast<std::int32_t>(count), 1, 0});
  exchange.mutable_packed()->clear_kind_names();
  Fill(exchange.mutable_packed()->mutable_removed_slot_runs(), runs);
  Mirror mirror;
  mirror.Apply(keyframe);
  std::uint64_t sequence = keyframe.frame_seq();
  for (v1::LayoutFrame* frame : {&shift, &exchange}) {
    frame->set_base_frame_seq(sequence);
    frame->set_frame_seq(++sequence);
    frame->set_live_count(count);
    CHECK(mirror.Apply(*frame).has_value() && mirror.elements().size() == count);
  }
}

}  // namespace

int main() {
  TestChecksums();
  TestColumns();
  TestNoUnits();
  TestParts();
  TestFaults();
  TestBounds();
  TestScrollEffects();
  TestAlphasAreBounded();
  TestMost();
  std::cout << "C++ mirror: passed\n";
}
