// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// What all groups of a section have in common whose items lie side by side across the scroll axis, each as long
/// along it as the data or a viewer says, and which are as long as the longest of them.
///
/// Such groups need no pattern each: where their items lie follows from the items' lengths.
struct GroupShape: Sendable {
  /// The group in which nothing is measured.
  let pattern: GroupPattern
  /// What each cell of the group takes besides its length, along the scroll axis, in points.
  private let aroundCells: [Double]
  /// The same of the group.
  private let aroundGroup: Double
  /// Between groups, in points.
  let spacing: Double
  /// What each cell takes besides its length, and how long it is where nothing is measured, if that is the same for
  /// all cells: then it does not matter which place in its group an item has. nil = it is not.
  let equalCells: (around: Double, length: Double)?
  let pixelGrid: PixelGrid?
  let axis: ScrollAxis

  /// - Parameter pattern: the template's repeating group.
  /// - Returns: nil = the section's groups are not so simple.
  init?(_ template: SectionTemplate, pattern: GroupPattern, environment: SectionEnvironment) {
    let axis = environment.axis
    let group = template.section.group
    /// Along which subitems follow each other: across the scroll axis.
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
      // What is flexible depends on how much longer the others are.
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

  /// The most cells that groups may have which differ in what they take besides their lengths: with each item
  /// another group may begin, and all of its cells are looked at.
  static let mostUnequalCells = 32

  /// How many items a group has; at least 1.
  var count: Int { pattern.cells.count }

  /// A length that was measured, or that the data gives, as cells have it.
  @inline(__always)
  func length(_ measured: Double) -> Double {
    let length = DimensionResolver.length(measured)
    return pixelGrid?.round(length) ?? length
  }

  /// What a cell takes along the scroll axis, in points.
  ///
  /// - Parameter length: its length; nil = that of the pattern.
  @inline(__always)
  func extent(ofCell cell: Int, length: Double?) -> Double {
    (length ?? pattern.cells[cell].mainLength) + aroundCells[cell]
  }

  /// The length of a group, edge spacing included, of whose cells some length is measured.
  ///
  /// - Parameter longest: the greatest extent of its cells, those included for which there are no items.
  @inline(__always)
  func groupLength(longest: Double) -> Double { longest + aroundGroup }

  /// What all cells take along the scroll axis if all are equally long.
  func longestExtent(ofEqual length: Double) -> Double {
    aroundCells.reduce(0) { max($0, length + $1) }
  }

  /// The length of a group in which nothing is measured, with the spacing behind it, in points.
  var patternPitch: Double { pattern.length + spacing }

  /// The length of a group of whose cells some length is measured, with the spacing behind it, in points.
  ///
  /// - Parameter longest: as for `groupLength`.
  @inline(__always)
  func pitch(longest: Double) -> Double { groupLength(longest: longest) + spacing }

  /// The greatest extent of the cells from one on, where nothing is measured.
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

  /// How far cells reach before the start of a group, and beyond its end, in points. Where something is measured,
  /// a group is as long as its cells.
  var reach: SolvedSection.Overhang {
    SolvedSection.Overhang(
      start: max(0, -pattern.bounds.main),
      end: max(0, pattern.bounds.mainEnd - pattern.length)
    )
  }

  /// Without the pattern, in bytes.
  var byteCount: Int { 64 + aroundCells.count * MemoryLayout<Double>.stride }
}
