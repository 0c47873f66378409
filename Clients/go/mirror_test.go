// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"errors"
	"math"
	"strings"
	"testing"

	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/protobuf/proto"
)

// packedFrame returns a frame with three rows in the slots 3, 4 and 5.
func packedFrame() *layoutpb.LayoutFrame {
	return &layoutpb.LayoutFrame{
		FrameSeq: 1, LiveCount: 3,
		Body: &layoutpb.LayoutFrame_Packed{Packed: &layoutpb.PackedElements{
			UpsertCount: 3,
			SlotRuns:    []int32{3, 1, 1, 2},
			Categories:  []int32{1},
			KindNames:   []string{"row"},
			ItemRuns:    []int32{1, 3},
			OriginX:     64,
			Ys:          []int32{0, 640, 640},
			Widths:      []int32{6400},
			Heights:     []int32{640},
			ItemKeys:    []string{"a", "b", "c"},
		}},
	}
}

func messagesFrame() *layoutpb.LayoutFrame {
	frame := &layoutpb.LayoutFrame{FrameSeq: 1, LiveCount: 3}
	elements := &layoutpb.ElementChanges{}
	for index, key := range []string{"a", "b", "c"} {
		item := uint32(index)
		elements.Upserts = append(elements.Upserts, &layoutpb.LayoutElement{
			Slot: uint32(3 + index), ItemKey: key,
			Key: &layoutpb.ElementKey{Category: 1, Kind: "row",
				IndexPath: &layoutpb.IndexPath{Item: &item}},
			Attributes: &layoutpb.LayoutAttributes{
				Frame: &layoutpb.Rect{X: 1, Y: float64(10 * index), Width: 100, Height: 10}},
		})
	}
	frame.Body = &layoutpb.LayoutFrame_Elements{Elements: elements}
	return frame
}

func applied(t *testing.T, frames ...*layoutpb.LayoutFrame) *Mirror {
	t.Helper()
	mirror := NewMirror(64, Limits{})
	for _, frame := range frames {
		if _, err := mirror.Apply(frame); err != nil {
			t.Fatal(err)
		}
	}
	return mirror
}

func TestBothEncodingsGiveTheSameElements(t *testing.T) {
	packed, messages := applied(t, packedFrame()), applied(t, messagesFrame())
	if packed.Checksum() != messages.Checksum() || packed.Len() != 3 || messages.Len() != 3 {
		t.Errorf("checksums %08x and %08x of %d and %d elements", packed.Checksum(),
			messages.Checksum(), packed.Len(), messages.Len())
	}
	for slot := uint32(3); slot < 6; slot++ {
		one, _ := packed.Element(slot)
		other, ok := messages.Element(slot)
		if one != other || !ok {
			t.Errorf("slot %d holds %+v and %+v", slot, one, other)
		}
	}
}

func TestAnIndexShiftMovesAnElement(t *testing.T) {
	mirror := applied(t, packedFrame(), &layoutpb.LayoutFrame{
		FrameSeq: 2, BaseFrameSeq: 1, LiveCount: 2,
		Body: &layoutpb.LayoutFrame_Packed{Packed: &layoutpb.PackedElements{
			RemovedSlotRuns: []int32{4, 1},
			IndexShiftRuns:  []int32{3, 1, 0, 7, 2, 1, 1, -1},
		}},
	})
	for slot, path := range map[uint32]IndexPath{3: {0, 7}, 5: {1, 1}} {
		if element, _ := mirror.Element(slot); element.Key.Path != path {
			t.Errorf("slot %d is at %v; %v expected", slot, element.Key.Path, path)
		}
	}
	if _, ok := mirror.Element(4); ok {
		t.Error("slot 4 was not emptied")
	}
}

func TestAFrameIsAppliedWithItsLastPart(t *testing.T) {
	first, last := packedFrame(), messagesFrame()
	first.Continued = true
	for _, element := range last.GetElements().Upserts {
		element.Slot += 10
	}
	last.LiveCount = 6
	mirror := NewMirror(64, Limits{})
	if change, err := mirror.Apply(first); change != nil || err != nil || mirror.Len() != 0 {
		t.Fatalf("the first part gave %v, %v and %d elements", change, err, mirror.Len())
	}
	change, err := mirror.Apply(last)
	if err != nil || len(change.Upserted) != 6 || mirror.Len() != 6 || !change.Keyframe {
		t.Fatalf("the last part gave %+v, %v and %d elements", change, err, mirror.Len())
	}
}

func TestFramesThatDoNotFitAreRefused(t *testing.T) {
	wrong := uint32(1)
	for name, example := range map[string]struct {
		spoil func(frame *layoutpb.LayoutFrame, packed *layoutpb.PackedElements)
		says  string
	}{
		"base": {func(f *layoutpb.LayoutFrame, _ *layoutpb.PackedElements) { f.BaseFrameSeq = 9 },
			"builds on frame 9"},
		"count": {func(f *layoutpb.LayoutFrame, _ *layoutpb.PackedElements) { f.LiveCount = 4 },
			"the server has 4"},
		"checksum": {func(f *layoutpb.LayoutFrame, _ *layoutpb.PackedElements) { f.StateChecksum = &wrong },
			"the server has 00000001"},
		"removed slot": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) {
			p.RemovedSlotRuns = []int32{8, 1}
		}, "empties slot 8"},
		"negative slot": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) {
			p.RemovedSlotRuns = []int32{-8, 1}
		}, "slot -8"},
		"shift": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) {
			p.IndexShiftRuns = []int32{8, 1, 0, 1}
		}, "shifts slot 8"},
		"endless shift": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) {
			p.IndexShiftRuns = []int32{8, math.MaxInt32, 0, 1}
		}, "index_shift_runs has 2147483647 elements after 0"},
		"half a run": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) { p.SlotRuns = []int32{3} },
			"even number"},
		"endless run": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) {
			p.SlotRuns = []int32{1, math.MaxInt32}
		}, "slot_runs has 2147483647 values; 3 are needed"},
		"endless removal": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) {
			p.RemovedSlotRuns = []int32{1, math.MaxInt32, 1, math.MaxInt32}
		}, "removed_slot_runs has 4294967294 elements after 0 of the same frame; 1048576 in all are allowed"},
		"half a shift": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) {
			p.IndexShiftRuns = []int32{3, 1, 0}
		}, "multiple of four"},
		"empty shift": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) {
			p.IndexShiftRuns = []int32{3, 0, 0, 1}
		}, "index_shift_runs has 0 slots"},
		"slot twice": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) {
			p.SlotRuns = []int32{3, 1, 0, 1, 1, 1}
		}, "puts slot 3 twice"},
		"slot twice in messages": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) {
			p.Exceptions = []*layoutpb.LayoutElement{{Slot: 4, Key: &layoutpb.ElementKey{Category: 1}}}
		}, "puts slot 4 twice"},
		"long kind": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) {
			p.KindNames = []string{strings.Repeat("k", 129)}
		}, "a kind has 129 bytes; 128 are allowed"},
		"long kind in a message": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) {
			p.Exceptions = []*layoutpb.LayoutElement{
				{Key: &layoutpb.ElementKey{Category: 1, Kind: strings.Repeat("k", 129)}}}
		}, "a kind has 129 bytes; 128 are allowed"},
		"too many kinds": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) {
			p.KindNames = make([]string, 65537)
		}, "kind_names has 65537 names after 0; 65536 in all are allowed"},
		"empty run": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) { p.ItemRuns = []int32{1, 0} },
			"item_runs has a run of 0"},
		"too few slots": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) {
			p.SlotRuns = []int32{3, 2}
		}, "slot_runs has 2 values"},
		"too few values": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) { p.Xs = []int32{1, 2} },
			"xs has 2 values"},
		"too many elements": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) {
			p.UpsertCount = math.MaxUint32
		}, "upsert_count has 4294967295 elements after 0 of the same frame; 1048576 in all are allowed"},
		"no slots": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) { p.SlotRuns = nil },
			"slot_runs is empty"},
		"kind": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) { p.Kinds = []int32{1} },
			"out of range"},
		"category": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) { p.Categories = []int32{4} },
			"out of range"},
		"item": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) { p.ItemRuns = []int32{-1, 3} },
			"out of range"},
		"exception": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) {
			p.Exceptions = []*layoutpb.LayoutElement{{Key: &layoutpb.ElementKey{Category: 9}}}
		}, "category 9"},
		"alpha": {func(_ *layoutpb.LayoutFrame, p *layoutpb.PackedElements) {
			alpha := math.Inf(1)
			p.Exceptions = []*layoutpb.LayoutElement{{Key: &layoutpb.ElementKey{Category: 1},
				Attributes: &layoutpb.LayoutAttributes{Alpha: &alpha}}}
		}, "the alpha +Inf"},
		"coverage": {func(f *layoutpb.LayoutFrame, _ *layoutpb.PackedElements) {
			f.Coverage = &layoutpb.Rect{X: math.NaN()}
		}, "NaN"},
	} {
		t.Run(name, func(t *testing.T) {
			mirror, frame := NewMirror(64, Limits{}), packedFrame()
			example.spoil(frame, frame.GetPacked())
			_, err := mirror.Apply(frame)
			var fault *FrameError
			if !errors.As(err, &fault) || !strings.Contains(err.Error(), example.says) {
				t.Fatalf("%v found; something with %q expected", err, example.says)
			}
			if _, err := mirror.Apply(packedFrame()); err != nil || mirror.Len() != 3 {
				t.Errorf("the keyframe after it gave %v and %d elements", err, mirror.Len())
			}
		})
	}
}

func TestAbsurdNumbersAreBounded(t *testing.T) {
	mirror, alpha, far := NewMirror(0, Limits{}), 1e300, 1.7e308
	frame := messagesPart(1)
	frame.FrameSeq, frame.LiveCount = 1, 1
	upsert := frame.GetElements().Upserts[0]
	upsert.Attributes = &layoutpb.LayoutAttributes{
		Alpha: &alpha, Frame: &layoutpb.Rect{X: far, Y: far, Width: far, Height: far}}
	checksum := elementHash(&Element{Key: ElementKey{Cell, "", IndexPath{0, 0}}, Frame: Rect{1e300, 1e300, 0, 0},
		Alpha: 1e30}, kindHash(""), 64)
	upsert.Key = &layoutpb.ElementKey{Category: 1, IndexPath: &layoutpb.IndexPath{Item: new(uint32)}}
	frame.StateChecksum = &checksum
	if _, err := mirror.Apply(frame); err != nil {
		t.Fatal(err)
	}
	frame = packedPart(1)
	frame.FrameSeq, frame.LiveCount = 2, 1
	packed := frame.GetPacked()
	packed.Alphas, packed.Xs, packed.Categories = []uint32{math.MaxUint32}, []int32{128}, []int32{1}
	if _, err := mirror.Apply(frame); err != nil {
		t.Fatal(err)
	}
	// No units are 64.
	if element := mirror.Elements()[0]; element.Alpha != 1 || element.Frame.X != 2 {
		t.Errorf("%+v found", element)
	}
}

func TestLimitsBoundWhatIsKept(t *testing.T) {
	for _, limits := range []Limits{{Elements: 2}, {Bytes: 100}} {
		mirror := NewMirror(64, limits)
		if _, err := mirror.Apply(packedFrame()); err == nil || mirror.Len() > 2 {
			t.Errorf("%+v: %d elements are live after %v", limits, mirror.Len(), err)
		}
	}
}

// packedPart returns a part whose columns stand for so many elements in the slots of runs.
func packedPart(count uint32, slotRuns ...int32) *layoutpb.LayoutFrame {
	return partOf(&layoutpb.PackedElements{UpsertCount: count, SlotRuns: slotRuns, Categories: []int32{1}})
}

func partOf(packed *layoutpb.PackedElements) *layoutpb.LayoutFrame {
	return &layoutpb.LayoutFrame{FrameSeq: 1, Body: &layoutpb.LayoutFrame_Packed{Packed: packed}}
}

func messagesPart(upserts int, removed ...uint32) *layoutpb.LayoutFrame {
	elements := &layoutpb.ElementChanges{RemovedSlots: removed}
	for slot := 0; slot < upserts; slot++ {
		elements.Upserts = append(elements.Upserts, &layoutpb.LayoutElement{
			Slot: uint32(slot), Key: &layoutpb.ElementKey{Category: 1}})
	}
	return &layoutpb.LayoutFrame{FrameSeq: 1, Body: &layoutpb.LayoutFrame_Elements{Elements: elements}}
}

func repeated(part *layoutpb.LayoutFrame, count int) []*layoutpb.LayoutFrame {
	parts := make([]*layoutpb.LayoutFrame, count)
	for index := range parts {
		parts[index] = part
	}
	return parts
}

func TestWhatThePartsOfAFrameStandForIsBoundedBeforeItIsMade(t *testing.T) {
	const most = 1000
	all := packedPart(most, 0, most)
	for name, example := range map[string]struct {
		parts []*layoutpb.LayoutFrame
		// How many elements may have been made when it is refused.
		made int
		says string
	}{
		"one slot in many parts": {repeated(all, 64), most, "upsert_count has 1000 elements after 1000 of the same"},
		"one slot":               {repeated(all, 1), most, "puts slot 0 twice"},
		"too many":               {repeated(packedPart(most+1, 1, most+1), 1), 0, "upsert_count has 1001 elements"},
		"columns after a message": {[]*layoutpb.LayoutFrame{messagesPart(1), all}, 1,
			"upsert_count has 1000 elements after 1 "},
		"messages": {[]*layoutpb.LayoutFrame{all, messagesPart(1)}, most, "upserts has 1 elements after 1000 "},
		"exceptions": {[]*layoutpb.LayoutFrame{all, partOf(&layoutpb.PackedElements{
			Exceptions: messagesPart(1).GetElements().Upserts})}, most, "exceptions has 1 elements after 1000 "},
		"shifts": {[]*layoutpb.LayoutFrame{all, partOf(&layoutpb.PackedElements{
			IndexShiftRuns: []int32{0, 1, 0, 1}})}, most, "index_shift_runs has 1 elements after 1000 "},
		"removed slots": {repeated(partOf(&layoutpb.PackedElements{RemovedSlotRuns: []int32{1, 600}}), 2), 600,
			"removed_slot_runs has 600 elements after 600 "},
		"removed slots in a message": {[]*layoutpb.LayoutFrame{
			partOf(&layoutpb.PackedElements{RemovedSlotRuns: []int32{1, most}}), messagesPart(0, 3)}, most,
			"removed_slots has 1 elements after 1000 "},
		"parts": {repeated(messagesPart(0), 16385), 0, "it has more than 16384 parts"},
		"bytes": {repeated(partOf(&layoutpb.PackedElements{UpsertCount: 400, SlotRuns: []int32{0, 1, 1, 399},
			Categories: []int32{1}, ItemData: []string{strings.Repeat("x", 4096)}}), 1), 400, "bytes or more"},
	} {
		t.Run(name, func(t *testing.T) {
			mirror := NewMirror(64, Limits{Elements: most, Bytes: 1 << 20})
			var err error
			for index, part := range example.parts {
				part = proto.Clone(part).(*layoutpb.LayoutFrame)
				part.Continued = index+1 < len(example.parts)
				if _, err = mirror.Apply(part); err != nil {
					break
				}
			}
			if err == nil || !strings.Contains(err.Error(), example.says) {
				t.Fatalf("%v found; something with %q expected", err, example.says)
			}
			if made := cap(mirror.parts.upserts) + cap(mirror.parts.removed); made > 2*example.made {
				t.Errorf("there is room for %d elements; %d expected", made, example.made)
			}
			if mirror.Len() > 1 {
				t.Errorf("%d elements are live", mirror.Len())
			}
			next := packedFrame()
			next.FrameSeq = 2
			if _, err := mirror.Apply(next); err != nil || mirror.Len() != 3 {
				t.Errorf("the keyframe after it gave %v and %d elements", err, mirror.Len())
			}
		})
	}
}

func TestAFrameMayChangeAsManyElementsAsAreEverSent(t *testing.T) {
	const count = 1_001_000
	keyframe := packedPart(count, 0, 1, 1, count-1)
	packed := keyframe.GetPacked()
	packed.ItemRuns, keyframe.LiveCount = []int32{1, count}, count
	shift := partOf(&layoutpb.PackedElements{IndexShiftRuns: []int32{0, count, 0, 1}})
	shift.FrameSeq, shift.BaseFrameSeq, shift.LiveCount = 2, 1, count
	exchange := proto.Clone(keyframe).(*layoutpb.LayoutFrame)
	exchange.FrameSeq, exchange.BaseFrameSeq = 3, 2
	exchange.GetPacked().RemovedSlotRuns = packed.SlotRuns
	if mirror := applied(t, keyframe, shift, exchange); mirror.Len() != count {
		t.Errorf("%d elements are live", mirror.Len())
	}
}

func TestPackedElementsAreDecodedWithoutAllocations(t *testing.T) {
	const count = 10_000
	keyframe := packedFrame()
	packed := keyframe.GetPacked()
	packed.UpsertCount, packed.SlotRuns, packed.ItemRuns = count, []int32{1, count}, []int32{1, count}
	packed.Ys, packed.ItemKeys = []int32{7}, nil
	keyframe.LiveCount = count
	mirror := applied(t, keyframe)
	frame := proto.Clone(keyframe).(*layoutpb.LayoutFrame)
	frame.GetPacked().KindNames = nil
	allocations := testing.AllocsPerRun(10, func() {
		frame.BaseFrameSeq, frame.FrameSeq = mirror.FrameSeq(), mirror.FrameSeq()+1
		if _, err := mirror.Apply(frame); err != nil {
			t.Fatal(err)
		}
	})
	if allocations > 10 {
		t.Errorf("%v allocations for a frame of %d elements", allocations, count)
	}
}

func BenchmarkPackedFrame(b *testing.B) {
	const count = 1000
	frame := packedFrame()
	packed := frame.GetPacked()
	packed.UpsertCount, packed.SlotRuns, packed.ItemRuns = count, []int32{1, count}, []int32{1, count}
	packed.Ys, packed.ItemKeys = []int32{7}, nil
	frame.LiveCount = count
	mirror := NewMirror(64, Limits{})
	b.ReportAllocs()
	for run := 0; run < b.N; run++ {
		if _, err := mirror.Apply(frame); err != nil {
			b.Fatal(err)
		}
		packed.KindNames = nil
		frame.BaseFrameSeq, frame.FrameSeq = frame.FrameSeq, frame.FrameSeq+1
	}
}

// Whatever a server sends, a mirror does not panic, and keeps its count and its checksum.
func FuzzMirror(f *testing.F) {
	for _, frame := range []*layoutpb.LayoutFrame{packedFrame(), messagesFrame()} {
		bytes, err := proto.Marshal(frame)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes, bytes)
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		mirror := NewMirror(64, Limits{Elements: 10_000})
		for _, bytes := range [][]byte{first, second} {
			frame := &layoutpb.LayoutFrame{}
			if proto.Unmarshal(bytes, frame) != nil {
				return
			}
			_, _ = mirror.Apply(frame)
		}
		var checksum uint32
		for index := range mirror.elements {
			checksum += mirror.hashes[index]
			if mirror.places[mirror.elements[index].Slot] != index {
				t.Fatal("a slot is lost")
			}
		}
		if checksum != mirror.Checksum() || len(mirror.places) != mirror.Len() {
			t.Fatal("the checksum is not that of the elements")
		}
	})
}
