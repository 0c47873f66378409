// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
public import LayoutGeometry

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Contents and layouts that all benchmarks share: one section, widths and heights uniform integers
/// 40…200, a container 1024 wide, spacing 10 both ways.
public enum Workload {
  /// BENCHMARK_MAX_ITEMS bounds them.
  public static let counts = {
    let limit = getenv("BENCHMARK_MAX_ITEMS").flatMap { Int(String(cString: $0)) } ?? .max
    return [10_000, 100_000, 1_000_000, 10_000_000].filter { $0 <= limit }
  }()
  public static let spacing = 10.0
  public static let container = LayoutContainer(size: Size(width: 1024, height: 768))
  public static let limits = ContentsLimits(items: 20_000_000)

  public static func contents(_ count: Int, _ sizes: Dataset.Sizes) -> CollectionContents {
    Dataset(count: count, sizes: sizes).contents()
  }

  public static func context(_ contents: CollectionContents) -> LayoutContext {
    LayoutContext(contents: contents, container: container)
  }

  // MARK: - Layouts

  public static let flow = FlowLayout(
    minimumLineSpacing: spacing,
    minimumInteritemSpacing: spacing,
    alignment: .leading
  )

  public static let list = ListLayout(rowSpacing: spacing)

  public static let grid = GridLayout(
    itemSize: Size(width: 50, height: 50),
    interitemSpacing: spacing,
    lineSpacing: spacing
  )

  public static let waterfall = WaterfallLayout(
    columns: .count(8),
    columnSpacing: spacing,
    itemSpacing: spacing
  )

  /// Eight lanes of two widths.
  public static let gridLanes = GridLanesLayout(
    lanes: [
      GridLane(.fraction(1), repetition: .count(6)), GridLane(.fraction(2), repetition: .count(2)),
    ],
    laneSpacing: spacing,
    itemSpacing: spacing
  )

  /// Groups of eight cells side by side.
  public static let compositional = groups(
    of: .absolute(120),
    cell: .fractionalHeight(1)
  )

  /// The same with cells as high as the data says.
  public static let selfSizing = groups(of: .estimated(120), cell: .estimated(120))

  /// One such cell a group.
  public static let feed = groups(of: .estimated(120), cell: .estimated(120), width: 1)

  private static func groups(
    of height: LayoutDimension,
    cell cellHeight: LayoutDimension,
    width: Double = 0.125
  ) -> CompositionalLayout {
    let cell = LayoutItem(size: LayoutSize(width: .fractionalWidth(width), height: cellHeight))
    return CompositionalLayout(
      sections: [
        CompositionalSection(
          group: LayoutGroup(
            axis: .horizontal,
            size: LayoutSize(width: .fractionalWidth(1), height: height),
            subitems: [.item(cell)]
          ),
          interGroupSpacing: spacing
        )
      ]
    )
  }

  /// Lines, rows, columns and groups in turn.
  public static let sections = SectionsLayout(
    layouts: [.flow(flow), .list(list), .waterfall(waterfall)].map { SectionLayout($0) }
      + compositional.sections.map { SectionLayout(.compositional($0)) }
  )

  public static let spatial = SpatialLayout()

  /// Items in cells of 512 points as one element.
  public static let clusters = SpatialLayout(
    clusters: SpatialLayout.Clusters(cellSize: 512, minimumCount: 2)
  )

  // MARK: - Rects and edits

  /// Rects of 1024 × 768 at random places of the content.
  public static func rects(_ count: Int, in size: Size, seed: UInt64 = 1) -> [Rect] {
    var random = SplitMix64(seed: seed)
    return (0 ..< count).map { _ in
      Rect(
        x: random.unit() * max(0, size.width - 1024),
        y: random.unit() * max(0, size.height - 768),
        width: 1024,
        height: 768
      )
    }
  }

  public static func insert(at item: Int, _ random: inout SplitMix64) -> UpdateOperation {
    .insertItems(
      at: IndexPath(section: 0, item: item),
      items: [
        ItemBlock(
          count: 1,
          widths: [Double(40 + random.int(below: 161))],
          heights: [Double(40 + random.int(below: 161))]
        )
      ]
    )
  }

  /// Inserts at random places, one batch. No two at one place, which a batch may not have.
  public static func inserts(_ count: Int, into items: Int, seed: UInt64 = 2) -> UpdateBatch {
    var random = SplitMix64(seed: seed)
    var taken: Set<Int> = []
    while taken.count < min(count, items) { taken.insert(random.int(below: items)) }
    return UpdateBatch(taken.sorted().map { insert(at: $0, &random) })
  }
}
