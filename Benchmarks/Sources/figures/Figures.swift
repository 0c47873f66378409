// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession
import Workloads

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Measures what the design promises and prints a table. With a number as argument, collections are
/// that large instead of ten million; with names such as `maps`, only these parts are measured;
/// with --check it fails where a committed ratio is not kept.
@main
struct Figures {
  private var figures: [Figure] = []
  private var ratios: [Threshold: Double] = [:]
  private let count: Int
  /// Of breaking lines, ns an item: what times are divided by, so that machines are comparable.
  private let limit: Double

  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    var figures = Figures(count: arguments.lazy.compactMap(Int.init).first)
    let named = arguments.compactMap(Part.init)
    for part in named.isEmpty ? Part.allCases : named { try await figures.measure(part) }
    print("| figure | wanted | measured | |\n|---|---|---|---|")
    for figure in figures.figures { print(figure.row) }
    let isKept = figures.printRatios()
    if arguments.contains("--check"), !isKept { exit(1) }
  }

  private init(count: Int?) {
    self.count = count ?? 10_000_000
    limit = Limits.lineBreaking(self.count, runs: 3)
  }

  /// What is measured, by the names that arguments give; all of it if they name nothing.
  private enum Part: String, CaseIterable {
    case flow, waterfall, groups
    case equalSizes = "equal-sizes"
    case maps, sessions, viewers, sharing
    case outlines, tables, providers
    case twoThreads = "two-threads"
  }

  private mutating func measure(_ part: Part) async throws {
    switch part {
    case .flow: try measureFlow()
    case .waterfall: try measureWaterfall()
    case .groups: try measureGroups()
    case .equalSizes: measureEqualSizes()
    case .maps: try measureMaps()
    case .sessions: measureSessions()
    case .viewers: try await measureViewers()
    case .sharing: measureSharing()
    case .outlines: measureOutlines()
    case .tables: try measureTables()
    case .providers: try measureProviders()
    case .twoThreads: try measureTwoThreads()
    }
  }

  /// - Returns: whether all are within what is committed.
  private func printRatios() -> Bool {
    print("\n| against bare line breaking (\(limit.short) ns an item) | at most | measured | |")
    print("|---|---|---|---|")
    var isKept = true
    for threshold in Threshold.allCases {
      guard let ratio = ratios[threshold] else { continue }
      let isWithin = ratio <= threshold.limit
      isKept = isKept && isWithin
      print(
        "| \(threshold.rawValue) | \(threshold.limit.short) × | \(ratio.short) × | "
          + "\(isWithin ? "kept" : "not kept") |"
      )
    }
    return isKept
  }

  private mutating func add(
    _ name: String,
    _ target: Figure.Comparison,
    _ unit: String,
    _ measured: Double
  ) {
    figures.append(Figure(name: name, target: target, unit: unit, measured: measured))
  }

  private mutating func measureFlow() throws {
    let contents = Workload.contents(count, .different)
    add(
      "contents with width and height, an item",
      .atMost(10),
      "bytes",
      Double(contents.approximateByteCount) / Double(count)
    )
    let flow = Preparation(Workload.flow, contents, runs: 3)
    add("prepare flow, different sizes, an item", .atMost(3), "ns", flow.nanosecondsEach)
    ratios[.prepareFlow] = flow.nanosecondsEach / limit
    add("the same, memory beyond the contents", .atMost(3), "bytes", flow.bytesEach)
    let queries = flow.queries(20_000)
    add(
      "elements in a rect, random offsets, \(queries.hits.short) hits",
      .atMost(2),
      "µs",
      queries.microseconds
    )
    ratios[.query] = queries.microseconds * 1e3 / limit
    let edits = try flow.edits(400)
    ratios[.edit] = edits * 1e3 / limit
    add("one insert or delete, to the visible elements", .atMost(20), "µs", edits)
    let small = Preparation(Workload.flow, Workload.contents(10_000, .different), runs: 3)
    add("the same, growth from 10,000 items", .atMost(2), "×", edits / (try small.edits(400)))
    let batch = try flow.batch(1000, runs: 5)
    ratios[.batch] = (batch.contents + batch.layout) * 1e3 / limit
    add(
      "1,000 inserts, one batch (contents \(batch.contents.short), layout \(batch.layout.short))",
      .atMost(5),
      "ms",
      batch.contents + batch.layout
    )
  }

  private mutating func measureWaterfall() throws {
    let waterfall = Preparation(Workload.waterfall, Workload.contents(count, .different), runs: 3)
    ratios[.prepareWaterfall] = waterfall.nanosecondsEach / limit
    add("prepare waterfall, 8 columns, an item", .atMost(8), "ns", waterfall.nanosecondsEach)
    add("the same, memory beyond the contents", .atMost(10), "bytes", waterfall.bytesEach)
    let beginning = Scrolling.beginning(waterfall.prepared) / waterfall.seconds * 100
    add("the same, what is in view before the rest, of the time", .atMost(10), "%", beginning)
    let edit = try waterfall.draftedEdits(200, at: 0)
    ratios[.drafted] = edit * 1e3 / limit
    add("waterfall, one edit at the head, to the visible elements", .atMost(200), "µs", edit)
    add(
      "the same, one edit in the middle",
      .atMost(200),
      "µs",
      try waterfall.draftedEdits(200, at: 0.5)
    )
    add(
      "the same, one edit at the tail",
      .atMost(200),
      "µs",
      try waterfall.draftedEdits(200, at: 1)
    )
    let lanes = Preparation(Workload.gridLanes, Workload.contents(count, .different), runs: 3)
    add("prepare grid lanes, 8 of two widths, an item", .atMost(40), "ns", lanes.nanosecondsEach)
    add("the same, memory beyond the contents", .atMost(10), "bytes", lanes.bytesEach)
  }

  /// Large layouts, to which a second thread is lent.
  private mutating func measureTwoThreads() throws {
    let flow = try TwoThreads(Workload.flow, Workload.contents(count, .different), runs: 9)
    add(
      "prepare flow on two threads (\(flow.one.short) ns on one), an item",
      .atMost(1.5),
      "ns",
      flow.two
    )
    let sections = Dataset(count: count, sizes: .different, itemsPerSection: max(1, count / 10))
    let waterfall = try TwoThreads(Workload.waterfall, sections.contents(), runs: 9)
    add(
      "prepare a waterfall of ten sections on two threads (\(waterfall.one.short) ns on one), "
        + "an item",
      .atMost(3),
      "ns",
      waterfall.two
    )
  }

  /// Compositional layouts whose cells are as high as the data says.
  private mutating func measureGroups() throws {
    let contents = Workload.contents(count, .different)
    let eight = Preparation(Workload.selfSizing, contents, runs: 3)
    add(
      "prepare groups of 8 cells of different heights, an item",
      .atMost(15),
      "ns",
      eight.nanosecondsEach
    )
    add("the same, memory beyond the contents", .atMost(10), "bytes", eight.bytesEach)
    let queries = eight.queries(20_000)
    add(
      "the same, elements in a rect, random offsets, \(queries.hits.short) hits",
      .atMost(5),
      "µs",
      queries.microseconds
    )
    add(
      "the same, one insert or delete, to the visible elements",
      .atMost(30),
      "µs",
      try eight.edits(10)
    )
    let one = Preparation(Workload.feed, contents, runs: 3)
    add(
      "prepare a feed of cells of different heights, an item",
      .atMost(15),
      "ns",
      one.nanosecondsEach
    )
    add("the same, memory beyond the contents", .atMost(10), "bytes", one.bytesEach)
    add(
      "the same, one insert or delete, to the visible elements",
      .atMost(30),
      "µs",
      try one.edits(400)
    )
  }

  private mutating func measureEqualSizes() {
    let contents = Workload.contents(count, .equal)
    let layouts: [any CollectionLayout] = [
      Workload.flow, Workload.list, Workload.grid, Workload.compositional,
    ]
    for layout in layouts {
      let preparation = Preparation(layout, contents, runs: 21)
      add("prepare \(layout.kindName), equal sizes", .atMost(50), "µs", preparation.seconds * 1e6)
    }
  }

  private mutating func measureMaps() throws {
    let map = MapTrial(count)
    add("index a map in clusters, an item", .atMost(60), "ns", map.nanosecondsEach)
    add("the same, memory beyond the contents", .atMost(24), "bytes", map.bytesEach)
    let points = Preparation(
      Workload.spatial,
      Dataset(count: count, sizes: .equal, isPlaced: true).contents(),
      runs: 3
    )
    add("index points, an item", .atMost(60), "ns", points.nanosecondsEach)
    let steps = map.zoomSteps(9)
    add(
      "a step of the zoom of a map, to \(steps.elements) elements and fewer",
      .atMost(1000),
      "µs",
      steps.microseconds
    )
    add("the first frame of a map, nothing indexed", .atMost(15), "ms", map.firstFrame())
    let batch = try map.batch(1000, runs: 21)
    add(
      "1,000 scattered inserts (contents \(batch.contents.short), layout \(batch.layout.short))",
      .atMost(1),
      "ms",
      batch.layout
    )
    let moves = try map.batch(1000, moving: true, runs: 21)
    add(
      "1,000 scattered moves (contents \(moves.contents.short), layout \(moves.layout.short))",
      .atMost(1),
      "ms",
      moves.layout
    )
  }

  private mutating func measureSessions() {
    let step = Scrolling.step(.packed)
    ratios[.scrollStep] = step * 1e3 / limit
    add("one scroll step, packed", .atMost(5), "µs", step)
    add("one scroll step, messages", .atMost(5), "µs", Scrolling.step(.messages))
    let cells = FlowLayout(
      itemSize: Size(width: 195, height: 50),
      minimumInteritemSpacing: 10,
      alignment: .leading
    )
    let grid = Scrolling.packedBytes(cells, Workload.contents(65, .equal))
    add("packed keyframe of a grid, whole, an element", .atMost(5), "bytes", grid)
    let columns = WaterfallLayout(columns: .count(8), columnSpacing: 10, itemSpacing: 10)
    let waterfall = Scrolling.packedBytes(columns, Workload.contents(60, .different))
    add("packed keyframe of a waterfall, whole, an element", .atMost(9), "bytes", waterfall)
  }

  private mutating func measureSharing() {
    let feed = SharingTrial(items: min(count, 100_000), pages: 10)
    let alone = feed.run(1000, sharing: false)
    let together = feed.run(1000, sharing: true)
    guard alone.checksum == together.checksum else { return }
    let of = "a viewer of 1,000 who measures ten screens of a feed"
    add("\(of), alone", .atMost(100_000), "µs", alone.microseconds)
    add("the same, shared", .atMost(alone.microseconds / 2), "µs", together.microseconds)
    add("\(of), alone", .atMost(4_194_304), "bytes", alone.bytes)
    add("the same, shared", .atMost(alone.bytes / 2), "bytes", together.bytes)
    add("layouts derived for all, alone", .atMost(10_000), "", Double(alone.derivations))
    add("the same, shared", .atMost(10), "", Double(together.derivations))
  }

  private mutating func measureOutlines() {
    let equal = OutlineTrial(count, heights: nil)
    let toggles = equal.toggles(21)
    add(
      "collapse a tenth of an outline, one viewer, to the visible rows",
      .atMost(100),
      "µs",
      toggles.collapse
    )
    add("expand it again", .atMost(100), "µs", toggles.expand)
    let bytes = equal.bytesPerViewer(1000)
    add(
      "a viewer who has collapsed one node otherwise than the others",
      .atMost(65_536),
      "bytes",
      bytes
    )
    let different = OutlineTrial(count, heights: 40 ... 200).toggles(9)
    add("collapse it, rows of different heights", .atMost(100), "µs", different.collapse)
    add("expand it again, rows of different heights", .atMost(100), "µs", different.expand)
  }

  private mutating func measureTables() throws {
    let table = TableTrial(count)
    add(
      "prepare a table of 1,000 columns, a row",
      .atMost(5),
      "ns",
      table.preparation.nanosecondsEach
    )
    let queries = table.preparation.queries(20_000)
    add(
      "the same, elements in a rect, random offsets, \(queries.hits.short) hits",
      .atMost(10),
      "µs",
      queries.microseconds
    )
    add(
      "the same, one insert or delete, to the visible cells",
      .atMost(40),
      "µs",
      try table.preparation.edits(400)
    )
    let resizing = table.resizing(400)
    add(
      "a viewer resizes a column, to the frame, \(resizing.elements) elements",
      .atMost(1000),
      "µs",
      resizing.microseconds
    )
  }

  private mutating func measureProviders() throws {
    for (name, layout, contents) in ProvidedTrial.all(min(count, 1_000_000)) {
      let steps = try ProvidedTrial(layout, contents).steps()
      add(
        "a scroll step over a provider's elements (\(steps.provided.short) µs), "
          + "of that over the same in \(name) (\(steps.own.short) µs)",
        .atMost(1.2),
        "×",
        steps.ratio
      )
    }
  }

  private mutating func measureViewers() async throws {
    let computed = try await Viewers.computations(1000, items: min(count, 1_000_000))
    add("prepares for 1,000 viewers of one collection", .atMost(1), "", Double(computed.prepared))
    add("derivations for one batch that reaches all", .atMost(1), "", Double(computed.derived))
  }
}
