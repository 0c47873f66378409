// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// The common form of a section's groups in the case that items are side by side across the scroll
/// axis, each with its own length along it, and a group is as long as its longest item.
///
/// Such groups need no patterns: the places of their items follow from the items' lengths.
struct GroupShape: Sendable {
  /// The group without measured items.
  let pattern: GroupPattern
  /// The extent of each cell along the scroll axis beyond its length, in points.
  private let aroundCells: [Double]
  /// The same for the group.
  private let aroundGroup: Double
  /// The distance between groups, in points.
  let spacing: Double
  /// The extent of each cell beyond its length, and its unmeasured length, if both are the same for
  /// all cells: then the place of an item in its group does not matter. nil = they differ.
  let equalCells: (around: Double, length: Double)?
  let pixelGrid: PixelGrid?
  let axis: ScrollAxis

  /// - Parameter pattern: the template's repeating group.
  /// - Returns: nil = the section's groups do not have this form.
  init?(_ template: SectionTemplate, pattern: GroupPattern, environment: SectionEnvironment) {
    let axis = environment.axis
    let group = template.section.group
    /// The axis along which subitems follow each other: across the scroll axis.
    let along: LayoutGroup.Axis = axis == .vertical ? .horizontal : .vertical
    guard !template.isOrthogonal, template.uniformLevels == 0, template.rows == nil,
      template.section.visibleItemEffects.isEmpty, group.axis == along, group.customFrames.isEmpty,
      group.supplementaryItems.isEmpty, !pattern.cells.isEmpty, pattern.badges.isEmpty
    else { return nil }
    func isSimple(_ size: LayoutSize) -> Bool {
      let (across, main) = axis == .vertical ? (size.width, size.height) : (size.height, size.width)
      return main.isEstimated && !main.isUniform && !across.isEstimated
    }
    guard isSimple(group.size), !group.subitems.isEmpty else { return nil }
    var aroundItems: [Double] = []
    for subitem in group.subitems {
      guard case .item(let item) = subitem, isSimple(item.size), item.supplementaryItems.isEmpty
      else { return nil }
      let edges = along.crossEdges(item.edgeSpacing)
      // Flexible spacing depends on how much longer the other cells are.
      guard !edges.start.isFlexible, !edges.end.isFlexible else { return nil }
      aroundItems.append(GroupSolver.minimum(edges))
    }
    // A group with a count repeats its only subitem; others repeat all of them in their order.
    aroundCells = pattern.cells.indices.map { aroundItems[$0 % aroundItems.count] }
    let (around, lengths) = (aroundCells, pattern.cells.map(\.mainLength))
    if let first = around.first, let length = lengths.first,
      around.allSatisfy({ $0 == first }), lengths.allSatisfy({ $0 == length })
    {
      equalCells = (first, length)
    } else {
      guard pattern.cells.count <= Self.mostUnequalCells else { return nil }
      equalCells = nil
    }
    aroundGroup = GroupSolver.minimum(along.crossEdges(group.edgeSpacing))
    spacing = template.interGroupSpacing
    pixelGrid = environment.pixelGrid
    self.pattern = pattern
    self.axis = axis
  }

  /// The most cells of groups whose cells differ in their extents beyond their lengths: a group may
  /// begin at each item, and all its cells are visited.
  static let mostUnequalCells = 32

  /// The number of items in a group, at least 1.
  var count: Int { pattern.cells.count }

  /// A length that was measured or given by the data, rounded like a cell's.
  @inline(__always)
  func length(_ measured: Double) -> Double {
    let length = DimensionResolver.length(measured)
    return pixelGrid?.round(length) ?? length
  }

  /// The extent of a cell along the scroll axis, in points.
  ///
  /// - Parameter length: the cell's length; nil = the pattern's.
  @inline(__always)
  func extent(ofCell cell: Int, length: Double?) -> Double {
    (length ?? pattern.cells[cell].mainLength) + aroundCells[cell]
  }

  /// The length of a group with measured cells, edge spacing included.
  ///
  /// - Parameter longest: the greatest extent of its cells, including places without items.
  @inline(__always)
  func groupLength(longest: Double) -> Double { longest + aroundGroup }

  /// The greatest extent of the cells if all have this length.
  func longestExtent(ofEqual length: Double) -> Double {
    aroundCells.reduce(0) { max($0, length + $1) }
  }

  /// The length of a group without measured cells, with the spacing after it, in points.
  var patternPitch: Double { pattern.length + spacing }

  /// The length of a group with measured cells, with the spacing after it, in points.
  ///
  /// - Parameter longest: as for `groupLength`.
  @inline(__always)
  func pitch(longest: Double) -> Double { groupLength(longest: longest) + spacing }

  /// The greatest extent of the unmeasured cells from one on.
  func longestExtent(from cell: Int) -> Double {
    (cell ..< count).reduce(0) { max($0, extent(ofCell: $1, length: nil)) }
  }

  /// The frame of a cell within its group.
  @inline(__always)
  func frame(ofCell cell: Int, length: Double?) -> AxisRect {
    var frame = pattern.cells[cell]
    if let length { frame.mainLength = length }
    return frame
  }

  /// How far cells extend before the start of a group and beyond its end, in points. A group with
  /// measured cells is as long as its cells.
  var reach: SolvedSection.Overhang {
    SolvedSection.Overhang(
      start: max(0, -pattern.bounds.main),
      end: max(0, pattern.bounds.mainEnd - pattern.length)
    )
  }

  /// The memory without the pattern, in bytes.
  var byteCount: Int { 64 + aroundCells.count * MemoryLayout<Double>.stride }
}
