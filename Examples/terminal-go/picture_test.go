// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"strings"
	"testing"

	"collectionlayout.example/layoutclient"
)

func cell(item int64, x, y, width, height float64) layoutclient.Element {
	return layoutclient.Element{
		Key: layoutclient.ElementKey{Category: layoutclient.Cell,
			Path: layoutclient.IndexPath{Item: item}},
		Frame: layoutclient.Rect{X: x, Y: y, Width: width, Height: height},
		Alpha: 1,
	}
}

func drawn(columns, rows int, offset layoutclient.Point, elements ...layoutclient.Element) string {
	picture := newPicture(columns, rows)
	picture.draw(elements, projection{offset, layoutclient.Size{Width: 10, Height: 20}})
	return strings.Join(picture.lines(false), "\n")
}

func expect(t *testing.T, found, expected string) {
	t.Helper()
	if expected = strings.TrimPrefix(expected, "\n"); found != expected {
		t.Errorf("found:\n%s\nexpected:\n%s", found, expected)
	}
}

func TestElementsAreBoxes(t *testing.T) {
	header := cell(layoutclient.NoItem, 0, 0, 200, 20)
	header.Key.Category, header.Key.Kind = layoutclient.Supplementary, "header"
	named := cell(1, 70, 20, 70, 80)
	named.ItemKey = "a\x1bä very long key"
	expect(t, drawn(20, 6, layoutclient.Point{}, header,
		cell(0, 0, 20, 70, 60), named, cell(2, 140, 20, 10, 60), cell(3, 150, 20, 10, 20),
		cell(4, 160, 20, 40, 40)), `
[header 0          ]
┌─────┐┌─────┐│▪┌0.┐
│0.0  ││a·ä v││ └──┘
└─────┘│     ││
       └─────┘
`)
}

func TestBoxesAreClippedAndOverlapByZIndex(t *testing.T) {
	front := cell(0, 120, 20, 60, 60)
	front.ZIndex = 1
	hidden, gone := cell(8, 100, 0, 200, 200), cell(9, 100, 0, 200, 200)
	hidden.Hidden, gone.Alpha = true, 0
	expect(t, drawn(9, 4, layoutclient.Point{X: 100}, front, hidden, gone,
		cell(1, 80, 40, 60, 100), cell(2, 1e300, -1e300, 1e300, math.MaxFloat64)), `

  ┌────┐
──│0.0 │
0.└────┘`)
}

func TestTransformedElementsCoverTheirBounds(t *testing.T) {
	turned := cell(0, 40, 0, 20, 80)
	turned.Extras = &layoutclient.Extras{Transform: []float64{0, 1, -1, 0, 0, 10}}
	if found := bounds(&turned); found != (layoutclient.Rect{X: 10, Y: 40, Width: 80, Height: 20}) {
		t.Errorf("%v found", found)
	}
	// Half as large, as seen from twice the distance.
	away := cell(0, 0, 0, 40, 80)
	away.Extras = &layoutclient.Extras{
		Transform: []float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2}}
	if found := bounds(&away); found != (layoutclient.Rect{X: 10, Y: 20, Width: 20, Height: 40}) {
		t.Errorf("%v found", found)
	}
	away.Extras.Transform[15] = -1
	if found := bounds(&away); found != (layoutclient.Rect{}) {
		t.Errorf("%v found behind the viewer", found)
	}
}

func TestKindsHaveColours(t *testing.T) {
	one, other := cell(0, 0, 0, 20, 20), cell(1, 20, 0, 20, 20)
	other.Key.Kind = "photo"
	picture := newPicture(4, 1)
	picture.draw([]layoutclient.Element{one, other}, projection{cell: layoutclient.Size{Width: 10, Height: 20}})
	expect(t, picture.lines(true)[0],
		"\x1b[0m\x1b["+string(styleOf(&one))+"m[]\x1b[0m\x1b["+string(styleOf(&other))+"m[]\x1b[0m")
}

func TestKeysAreReadOneByOne(t *testing.T) {
	typed := "j\x1b[5~\x1bOA\x1b[1;5Bx\x1b\x1b[Fq"
	for _, expected := range []key{
		keyDown, keyPageUp, keyUp, keyNone, keyNone, keyNone, keyEnd, keyQuit,
	} {
		found, length := nextKey(typed)
		if found != expected || length == 0 {
			t.Fatalf("%d of %d bytes found before %q; %d expected", found, length, typed, expected)
		}
		typed = typed[length:]
	}
	for _, part := range []string{"", "\x1b", "\x1b[", "\x1b[5"} {
		if _, length := nextKey(part); length != 0 {
			t.Errorf("%q was taken for a key", part)
		}
	}
}

func TestArgumentsAreChecked(t *testing.T) {
	s, err := parse([]string{"--cell", "4x8", "art", "--once", "60x20", "--layout", "list"})
	if err != nil || s.collection != "collections/art" || s.columns != 60 || s.rows != 20 ||
		s.layout.GetList() == nil || s.cell != (layoutclient.Size{Width: 4, Height: 8}) {
		t.Errorf("%+v and %v found", s, err)
	}
	for _, arguments := range [][]string{
		{}, {"art", "more"}, {"art", "--cell", "0x8"}, {"art", "--cell", "8"}, {"art", "--once", "60x"},
		{"art", "--once", "NaNx5"}, {"art", "--once", "1e9x5"}, {"art", "--layout", "none"},
		{"art", "--colour", "red"},
	} {
		if _, err := parse(arguments); err == nil {
			t.Errorf("%q was accepted", arguments)
		}
	}
}
