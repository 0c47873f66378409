// SPDX-License-Identifier: Apache-2.0

package main

import (
	"hash/fnv"
	"math"
	"sort"
	"strconv"
	"strings"

	"collectionlayout.example/layoutclient"
)

// A style is how a character looks: the empty style is the terminal's own.
type style string

// A picture is a grid of characters on which elements are drawn as boxes.
type picture struct {
	columns, rows int
	glyphs        []rune
	styles        []style
}

func newPicture(columns, rows int) *picture {
	p := &picture{columns: columns, rows: rows,
		glyphs: make([]rune, columns*rows), styles: make([]style, columns*rows)}
	for index := range p.glyphs {
		p.glyphs[index] = ' '
	}
	return p
}

func (p *picture) set(column, row int, glyph rune, style style) {
	if column >= 0 && column < p.columns && row >= 0 && row < p.rows {
		p.glyphs[row*p.columns+column], p.styles[row*p.columns+column] = glyph, style
	}
}

// A box is an area of characters: the upper left one, and the one after the lower right one.
type box struct{ left, top, right, bottom int }

// A projection turns content coordinates into characters.
type projection struct {
	offset layoutclient.Point
	// cell is the size of a character in points.
	cell layoutclient.Size
}

// box returns the characters that a rect covers. Both edges are rounded, so that neighbours stay neighbours.
func (p projection) box(rect layoutclient.Rect) box {
	return box{
		character(rect.X-p.offset.X, p.cell.Width), character(rect.Y-p.offset.Y, p.cell.Height),
		character(rect.MaxX()-p.offset.X, p.cell.Width), character(rect.MaxY()-p.offset.Y, p.cell.Height),
	}
}

func character(distance, size float64) int {
	// Far more than any terminal has.
	const limit = 1 << 20
	return int(math.Max(-limit, math.Min(limit, math.Floor(distance/size+0.5))))
}

// draw draws the elements that can be seen, those with a greater z-index over others.
func (p *picture) draw(elements []layoutclient.Element, projection projection) {
	visible := make([]*layoutclient.Element, 0, len(elements))
	for index := range elements {
		if element := &elements[index]; !element.Hidden && element.Alpha > 0 {
			visible = append(visible, element)
		}
	}
	sort.Slice(visible, func(a, b int) bool {
		one, other := visible[a], visible[b]
		if one.ZIndex != other.ZIndex {
			return one.ZIndex < other.ZIndex
		}
		if one.Key.Path != other.Key.Path {
			return one.Key.Path.Less(other.Key.Path)
		}
		return one.Slot < other.Slot
	})
	for _, element := range visible {
		p.drawBox(projection.box(bounds(element)), label(element), styleOf(element))
	}
}

func (p *picture) drawBox(b box, label string, style style) {
	if b.right <= b.left || b.bottom <= b.top {
		return
	}
	clipped := box{max(b.left, 0), max(b.top, 0), min(b.right, p.columns), min(b.bottom, p.rows)}
	for row := clipped.top; row < clipped.bottom; row++ {
		for column := clipped.left; column < clipped.right; column++ {
			p.set(column, row, border(b, column, row), style)
		}
	}
	// The label stays in sight as long as the inside of the box does.
	column, row := max(b.left+1, 0), b.top
	if b.bottom-b.top > 2 {
		row = min(max(row+1, 0), b.bottom-2)
	}
	for _, glyph := range label {
		if column < b.right-1 {
			p.set(column, row, glyph, style)
		}
		column++
	}
}

// border returns what a box shows at a place inside of it.
func border(b box, column, row int) rune {
	isLeft, isRight := column == b.left, column == b.right-1
	isTop, isBottom := row == b.top, row == b.bottom-1
	switch {
	case b.bottom-b.top == 1 && b.right-b.left == 1:
		return '▪'
	case b.right-b.left == 1:
		return '│'
	case b.bottom-b.top == 1 && isLeft:
		return '['
	case b.bottom-b.top == 1 && isRight:
		return ']'
	case b.bottom-b.top == 1:
		return ' '
	case isTop && isLeft:
		return '┌'
	case isTop && isRight:
		return '┐'
	case isBottom && isLeft:
		return '└'
	case isBottom && isRight:
		return '┘'
	case isTop || isBottom:
		return '─'
	case isLeft || isRight:
		return '│'
	}
	return ' '
}

// label names a cell by its key or its place, and other elements by their kind.
func label(element *layoutclient.Element) string {
	switch {
	case element.Key.Category != layoutclient.Cell:
		return printable(element.Key.Kind) + " " + element.Key.Path.String()
	case element.ItemKey != "":
		return printable(element.ItemKey)
	}
	return element.Key.Path.String()
}

// printable replaces control characters, which could change the terminal.
func printable(text string) string {
	return strings.Map(func(glyph rune) rune {
		if !strconv.IsPrint(glyph) {
			return '·'
		}
		return glyph
	}, text)
}

// Colours of the 256 that terminals have, which can be told apart.
var colours = []int{75, 214, 113, 176, 80, 203, 228, 141, 115, 180}

// styleOf returns a colour for the kind of an element. Cells are outlined, others are filled.
func styleOf(element *layoutclient.Element) style {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(element.Key.Kind))
	colour := strconv.Itoa(colours[hash.Sum32()%uint32(len(colours))])
	faint := ""
	if element.Alpha < 0.5 {
		faint = ";2"
	}
	switch element.Key.Category {
	case layoutclient.Cell:
		return style("38;5;" + colour + faint)
	case layoutclient.Decoration:
		return style("38;5;" + colour + ";48;5;236" + faint)
	}
	return style("30;48;5;" + colour + faint)
}

// bounds returns the rect around an element as its transform shows it.
func bounds(element *layoutclient.Element) layoutclient.Rect {
	frame := element.Frame
	if element.Extras == nil || len(element.Extras.Transform) == 0 {
		return frame
	}
	t := element.Extras.Transform
	if len(t) == 6 {
		t = []float64{t[0], t[1], 0, 0, t[2], t[3], 0, 0, 0, 0, 1, 0, t[4], t[5], 0, 1}
	}
	centreX, centreY := frame.X+frame.Width/2, frame.Y+frame.Height/2
	minX, minY, maxX, maxY := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, corner := range [4][2]float64{{-1, -1}, {-1, 1}, {1, -1}, {1, 1}} {
		x, y := corner[0]*frame.Width/2, corner[1]*frame.Height/2
		w := x*t[3] + y*t[7] + t[15]
		if w <= 0 {
			// Behind the viewer.
			return layoutclient.Rect{}
		}
		toX, toY := centreX+(x*t[0]+y*t[4]+t[12])/w, centreY+(x*t[1]+y*t[5]+t[13])/w
		minX, maxX = math.Min(minX, toX), math.Max(maxX, toX)
		minY, maxY = math.Min(minY, toY), math.Max(maxY, toY)
	}
	return layoutclient.Rect{X: minX, Y: minY, Width: maxX - minX, Height: maxY - minY}
}

// lines returns the picture row by row, with colours if they are wanted.
func (p *picture) lines(isColoured bool) []string {
	lines := make([]string, p.rows)
	for row := range lines {
		glyphs := p.glyphs[row*p.columns : (row+1)*p.columns]
		if !isColoured {
			lines[row] = strings.TrimRight(string(glyphs), " ")
			continue
		}
		var line strings.Builder
		var current style
		for column, glyph := range glyphs {
			if style := p.styles[row*p.columns+column]; style != current {
				line.WriteString("\x1b[0m")
				if style != "" {
					line.WriteString("\x1b[" + string(style) + "m")
				}
				current = style
			}
			line.WriteRune(glyph)
		}
		line.WriteString("\x1b[0m")
		lines[row] = line.String()
	}
	return lines
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func max(a, b int) int {
	if a > b {
		return a
	}
	return b
}
