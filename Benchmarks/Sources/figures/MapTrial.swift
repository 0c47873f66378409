// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession
import Workloads

/// A map of places around some hundred towns, in clusters.
struct MapTrial {
  let contents: CollectionContents
  private let prepared: any PreparedLayout
  /// Of indexing all places.
  let nanosecondsEach: Double
  let bytesEach: Double

  private static let size = Workload.container.size
  private static let center = (x: 0.53, y: 0.34)

  init(_ count: Int) {
    contents = Self.places(count)
    let context = Workload.context(contents)
    let layout = Self.layout(zoom: 3)
    var prepared = layout.prepare(context)
    let seconds = Clock.median(of: 3) { prepared = layout.prepare(context) }
    self.prepared = prepared
    nanosecondsEach = seconds * 1e9 / Double(count)
    bytesEach = Double(prepared.byteCount) / Double(count)
  }

  static func layout(zoom: Double) -> SpatialLayout {
    SpatialLayout(projection: .webMercator, zoom: zoom, clusters: .init())
  }

  private static func places(_ count: Int) -> CollectionContents {
    var random = SplitMix64(seed: 99)
    let towns = (0 ..< 300).map { _ in (x: random.unit() * 340 - 170, y: random.unit() * 130 - 60) }
    var block = ItemBlock(count: count)
    block.xs.reserveCapacity(count)
    block.ys.reserveCapacity(count)
    for _ in 0 ..< count {
      let town = towns[random.int(below: towns.count)]
      // Most are near the middle of their town.
      let spread = random.unit() * random.unit() * 8
      block.xs.append(town.x + spread * (random.unit() * 2 - 1))
      block.ys.append(town.y + spread * (random.unit() * 2 - 1))
    }
    return CollectionContents(sections: [SectionContents(blocks: [block])])
  }

  /// The viewport at a zoom, around the same place.
  private static func rect(zoom: Double) -> Rect {
    let world = 256 * Double.power(2, zoom)
    let middle = Point(x: center.x * world, y: center.y * world)
    return Rect(center: middle, size: size)
  }

  /// Steps of a zoom in and out again, each to the elements in view: microseconds, the slowest of
  /// the steps' medians, and the most elements.
  func zoomSteps(_ rounds: Int) -> (microseconds: Double, elements: Int) {
    var times: [Double: [Double]] = [:]
    var (most, buffer) = (0, ElementBuffer())
    for _ in 0 ..< rounds {
      for zoom in stride(from: 0.0, through: 16, by: 0.5) {
        let layout = Self.layout(zoom: zoom)
        let rect = Self.rect(zoom: zoom)
        let seconds = Clock.time {
          buffer.removeAll()
          layout.view(of: prepared).appendElements(
            in: rect,
            viewport: Viewport(offset: rect.origin, size: rect.size),
            to: &buffer
          )
        }
        times[zoom, default: []].append(seconds)
        most = max(most, buffer.elements.count)
      }
    }
    return ((times.values.map(\.median).max() ?? .nan) * 1e6, most)
  }

  /// Milliseconds until a session can show a first frame, while nothing is indexed: the slowest of
  /// three zooms.
  func firstFrame() -> Double {
    var slowest = 0.0
    for zoom in [0.0, 5, 12] {
      let session = ViewportSession(
        open: SessionParameters(
          contents: contents,
          layout: LayoutConfiguration(Self.layout(zoom: zoom)),
          viewport: ViewportChange(offset: Self.rect(zoom: zoom).origin, size: Self.size),
          capabilities: ClientCapabilities(encoding: .packed)
        )
      )
      let seconds = Clock.median(of: 5) {
        var first = session
        guard let request = first.wantedLayout, let beginning = request.prepareBeginning() else {
          return
        }
        first.supply(beginning: beginning, for: request)
        _ = first.nextFrame(at: .zero)
      }
      slowest = max(slowest, seconds)
    }
    return slowest * 1e3
  }

  /// Milliseconds of a batch of insertions at places all over the contents: contents, and prepared
  /// layout.
  ///
  /// - Parameter moving: whether each takes the place of an item, which so has moved.
  func batch(
    _ inserts: Int,
    moving: Bool = false,
    runs: Int
  ) throws -> (contents: Double, layout: Double) {
    var random = SplitMix64(seed: 3)
    var current = prepared
    var parts: (contents: [Double], layout: [Double]) = ([], [])
    for _ in 0 ..< runs {
      let contents = current.context.contents
      var taken: Set<Int> = []
      while taken.count < inserts { taken.insert(random.int(below: contents.itemCount)) }
      let batch = UpdateBatch(
        taken.sorted().flatMap { item -> [UpdateOperation] in
          let (x, y) = (random.unit() * 340 - 170, random.unit() * 130 - 60)
          let insertion = UpdateOperation.insertItems(
            at: IndexPath(section: 0, item: item),
            items: [ItemBlock(count: 1, xs: [x], ys: [y])]
          )
          return moving
            ? [.deleteItems(section: 0, items: item ..< item + 1), insertion] : [insertion]
        }
      )
      var change: ContentsChange?
      parts.contents.append(
        try Clock.time { change = try contents.applying(batch, limits: Workload.limits) }
      )
      guard let change else { continue }
      parts.layout.append(
        Clock.time { current = Self.layout(zoom: 3).update(current, by: change) }
      )
    }
    return (parts.contents.median * 1e3, parts.layout.median * 1e3)
  }
}
