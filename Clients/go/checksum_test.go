// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"math"
	"testing"
)

// The elements and hashes of the protocol's guide.
var documentedElements = []struct {
	element Element
	hash    uint32
}{
	{Element{Slot: 1, Key: ElementKey{Cell, "", IndexPath{0, 0}}, Frame: Rect{0, 0, 390, 44}, Alpha: 1},
		0x6e65c60f},
	{Element{Slot: 2, Key: ElementKey{Supplementary, "header", IndexPath{3, NoItem}},
		Frame: Rect{0, 520.5, 390, 32}, Alpha: 1, ZIndex: 10}, 0xa1f59aaa},
	{Element{Slot: 3, Key: ElementKey{Cell, "photo", IndexPath{1, 41}},
		Frame: Rect{1.0 / 3, 0, 1.0 / 3, 1}, Alpha: 0.5, ZIndex: -1}, 0xfbfd69c0},
}

func TestChecksumsAreThoseOfTheGuide(t *testing.T) {
	mirror := NewMirror(64, Limits{})
	for _, example := range documentedElements {
		element := example.element
		if hash := elementHash(&element, kindHash(element.Key.Kind), 64); hash != example.hash {
			t.Errorf("%v: %08x found, %08x expected", element.Key, hash, example.hash)
		}
		mirror.put(&element)
	}
	if mirror.Checksum() != 0x0c58ca79 {
		t.Errorf("%08x found, 0c58ca79 expected", mirror.Checksum())
	}
	mirror.remove(2, mirror.places[2])
	mirror.remove(1, mirror.places[1])
	if mirror.Checksum() != 0xfbfd69c0 {
		t.Errorf("after removals %08x found, fbfd69c0 expected", mirror.Checksum())
	}
}

func TestEdgesStayWithinTheirRange(t *testing.T) {
	for _, example := range []struct {
		value float64
		units float64
		edge  int64
	}{
		{0.5 / 64, 64, 1}, {-0.5 / 64, 64, 0}, {520.5, 64, 33312}, {1.0 / 3, 192, 64},
		{1e300, 64, 1 << 62}, {-1e300, 64, -1 << 62}, {math.Inf(1), 64, 1 << 62},
		{math.Inf(-1), 64, -1 << 62}, {math.NaN(), 64, 0},
	} {
		if found := edge(example.value, example.units); found != example.edge {
			t.Errorf("the edge of %v is %d; %d expected", example.value, found, example.edge)
		}
	}
}
