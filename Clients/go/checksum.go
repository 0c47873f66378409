// SPDX-License-Identifier: Apache-2.0

package layoutclient

import "math"

// elementHash returns the hash of an element in the state checksum, which is the sum modulo 2³² of the hashes
// of all elements.
func elementHash(element *Element, kindHash uint32, unitsPerPoint float64) uint32 {
	frame := &element.Frame
	left, top := edge(frame.X, unitsPerPoint), edge(frame.Y, unitsPerPoint)
	hash := hasher(0x434C5631)
	hash.add(int64(element.Key.Category))
	hash.add(int64(kindHash))
	hash.add(int64(element.Key.Path.Section))
	hash.add(element.Key.Path.Item + 1)
	hash.add(left)
	hash.add(top)
	hash.add(edge(frame.MaxX(), unitsPerPoint) - left)
	hash.add(edge(frame.MaxY(), unitsPerPoint) - top)
	hash.add(int64(element.ZIndex))
	hash.add(integer(math.Round(element.Alpha * 65535)))
	if element.Hidden {
		hash.add(1)
	} else {
		hash.add(0)
	}
	return fmix32(uint32(hash))
}

// kindHash returns FNV-1a 32 of the name of a kind.
func kindHash(kind string) uint32 {
	hash := uint32(0x811C9DC5)
	for index := 0; index < len(kind); index++ {
		hash = (hash ^ uint32(kind[index])) * 0x01000193
	}
	return hash
}

// edge returns an edge in units, rounded to the nearest one; halves are rounded up.
func edge(value, unitsPerPoint float64) int64 { return integer(math.Floor(value*unitsPerPoint + 0.5)) }

// integer brings a whole number within ±2⁶²; NaN becomes 0.
func integer(value float64) int64 {
	const limit = 1 << 62
	switch {
	case value >= limit:
		return limit
	case value <= -limit:
		return -limit
	case math.IsNaN(value):
		return 0
	}
	return int64(value)
}

type hasher uint32

func (h *hasher) add(field int64) {
	for _, word := range [2]uint32{uint32(field), uint32(field >> 32)} {
		mixed := fmix32(uint32(*h) ^ word)
		*h = hasher((mixed<<13|mixed>>19)*5 + 0xE6546B64)
	}
}

func fmix32(h uint32) uint32 {
	h ^= h >> 16
	h *= 0x85EBCA6B
	h ^= h >> 13
	h *= 0xC2B2AE35
	return h ^ h>>16
}
