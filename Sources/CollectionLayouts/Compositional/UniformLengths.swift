// SPDX-License-Identifier: Apache-2.0

/// The lengths that siblings share across all groups of a section whose outermost group has a
/// uniform length, up to that group: level by level, since what is inside decides what is around
/// it.
///
/// Level 0 are the section's groups. Level n + 1 are the subitems of the groups at level n that
/// have a uniform length themselves.
struct UniformLengths: Hashable, Sendable {
  /// By level; nil = nothing was measured there.
  private var widths: [Double?] = []
  private var heights: [Double?] = []

  /// A pair of lengths; nil if there is none.
  typealias Pair = (width: Double?, height: Double?)

  /// Whether nothing was measured at any level.
  var isEmpty: Bool { widths.isEmpty && heights.isEmpty }

  /// The lengths at a level.
  subscript(level: Int) -> Pair {
    (
      widths.indices.contains(level) ? widths[level] : nil,
      heights.indices.contains(level) ? heights[level] : nil
    )
  }

  /// Raises the lengths at a level to at least these.
  mutating func raise(_ level: Int, to lengths: Pair) {
    Self.raise(&widths, level, to: lengths.width)
    Self.raise(&heights, level, to: lengths.height)
  }

  private static func raise(_ lengths: inout [Double?], _ level: Int, to length: Double?) {
    guard let length else { return }
    while lengths.count <= level { lengths.append(nil) }
    lengths[level] = max(length, lengths[level] ?? length)
  }

  /// The memory beyond the value itself, in bytes: an estimate.
  var byteCount: Int { (widths.count + heights.count) * MemoryLayout<Double?>.stride }
}

extension LayoutGroup {
  /// How many levels of `UniformLengths` the group has as a section's outermost group.
  var uniformLevels: Int {
    max(uniformLevels { $0.width.isUniform }, uniformLevels { $0.height.isUniform })
  }

  private func uniformLevels(depth: Int = 1, _ isUniform: (LayoutSize) -> Bool) -> Int {
    guard isUniform(size), depth <= CompositionalLayout.Limit.depth else { return 0 }
    var below = 0
    for subitem in subitems {
      switch subitem {
      case .unspecified: break
      case .item(let item): below = max(below, isUniform(item.size) ? 1 : 0)
      case .group(let group): below = max(below, group.uniformLevels(depth: depth + 1, isUniform))
      }
    }
    return below + 1
  }
}
