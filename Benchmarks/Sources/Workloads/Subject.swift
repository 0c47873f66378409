// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
import LayoutGeometry

/// A layout over one kind of collection: a row of the matrix of benchmarks.
public struct Subject: Sendable {
  public let layout: any CollectionLayout
  /// Of any number of items.
  public let dataset: Dataset
  /// What it is called besides the layout's kind.
  private let variant: String?

  public init(
    _ layout: any CollectionLayout,
    _ sizes: Dataset.Sizes,
    itemsPerSection: Int? = nil,
    isPlaced: Bool = false,
    variant: String? = nil
  ) {
    self.layout = layout
    dataset = Dataset(
      count: 0,
      sizes: sizes,
      itemsPerSection: itemsPerSection,
      isPlaced: isPlaced
    )
    self.variant = variant
  }

  /// Such as "flow different".
  public var name: String { "\(layout.kindName) \(variant ?? dataset.sizes.rawValue)" }

  public func dataset(of count: Int) -> Dataset {
    var dataset = dataset
    dataset.count = count
    return dataset
  }

  /// Whether there is more content than a viewport shows.
  public var isScrolling: Bool { !(layout is CircleLayout) }

  /// Whether there is such an operation: a circle does not scroll, and where it has more items than
  /// a frame takes, none are left to encode.
  public func has(_ operation: Operation, of count: Int) -> Bool {
    switch operation {
    case .diff: isScrolling
    case .encode: isScrolling || count <= 20_000
    default: true
    }
  }

  /// All of them. Where a layout makes nothing of the sizes that the data gives, equal ones do.
  public static let all: [Subject] = [
    Subject(Workload.flow, .equal),
    Subject(Workload.flow, .different),
    Subject(Workload.flow, .different, itemsPerSection: 100, variant: "sections"),
    Subject(Workload.list, .equal),
    Subject(Workload.list, .different),
    Subject(Workload.grid, .equal, itemsPerSection: 100),
    Subject(Workload.waterfall, .equal),
    Subject(Workload.waterfall, .different),
    Subject(Workload.gridLanes, .different),
    Subject(Workload.compositional, .equal),
    Subject(Workload.selfSizing, .different),
    Subject(Workload.sections, .different, itemsPerSection: 100, variant: "in turn"),
    Subject(LineLayout(itemSize: Size(width: 50, height: 50), lineSpacing: 10), .equal),
    Subject(CircleLayout(), .equal),
    Subject(CarouselLayout(itemSize: Size(width: 100, height: 100)), .equal),
    Subject(StackLayout(visibleDepth: 12), .equal),
    Subject(Workload.spatial, .equal, isPlaced: true),
    Subject(Workload.spatial, .different, isPlaced: true),
    Subject(Workload.clusters, .equal, isPlaced: true, variant: "clusters"),
  ]
}
