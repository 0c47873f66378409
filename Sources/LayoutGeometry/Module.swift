// SPDX-License-Identifier: Apache-2.0

// Points, sizes, rects, insets, transforms and the rounding of edges to pixels.
