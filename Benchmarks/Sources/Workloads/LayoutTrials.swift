// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry

/// `prepare`, from nothing.
final class PreparationTrial: Trial {
  private let layout: any CollectionLayout
  private let context: LayoutContext

  init(_ layout: any CollectionLayout, _ context: LayoutContext) {
    self.layout = layout
    self.context = context
  }

  func run() -> Int {
    let prepared = layout.prepare(context)
    let size = prepared.contentSize
    return size.width > 0 && size.height > 0 ? prepared.context.contents.itemCount : 0
  }

  func expected(ofRuns runs: Int) -> ClosedRange<Int> {
    let items = context.contents.itemCount * runs
    return items ... items
  }
}

/// Elements in rects at random places.
final class QueryTrial: Trial {
  private let prepared: any PreparedLayout
  private let viewports: [Viewport]
  private var buffer = ElementBuffer()
  private var next = 0

  init(_ prepared: any PreparedLayout) {
    self.prepared = prepared
    viewports = Workload.rects(1024, in: prepared.contentSize).map {
      Viewport(offset: $0.origin, size: $0.size)
    }
  }

  func run() -> Int {
    let viewport = viewports[next % viewports.count]
    next += 1
    buffer.removeAll()
    prepared.appendElements(in: viewport.rect, viewport: viewport, to: &buffer)
    return buffer.elements.count
  }
}

/// Where items lie along the content.
final class ScrollMapTrial: Trial {
  private let queries: LayoutQueries
  private let request: ScrollMapRequest

  init(_ prepared: any PreparedLayout) {
    queries = LayoutQueries(
      prepared,
      viewport: Viewport(offset: .zero, size: Size(width: 1024, height: 768))
    )
    request = ScrollMapRequest(
      fractions: (0 ..< 10).map { Double($0) / 10 },
      bucketCount: 100
    )
  }

  func run() -> Int {
    let map = queries.scrollMap(request)
    return map.buckets.reduce(0) { $0 + $1.itemCount }
  }

  func expected(ofRuns runs: Int) -> ClosedRange<Int> {
    let items = queries.prepared.context.contents.itemCount * runs
    return items ... items
  }
}

/// A batch of insertions and one that takes the same items away again, by turns, each with the
/// layout derived from the one before.
final class EditTrial: Trial {
  private let layout: any CollectionLayout
  private var current: any PreparedLayout
  private let edits: (insert: UpdateBatch, delete: UpdateBatch)
  private let items: Int
  private var isInserted = false

  init(
    _ prepared: any PreparedLayout,
    _ layout: any CollectionLayout,
    _ edits: (insert: UpdateBatch, delete: UpdateBatch),
    items: Int
  ) {
    current = prepared
    self.layout = layout
    self.edits = edits
    self.items = items
  }

  func run() throws -> Int {
    let old = current.context.contents
    let change = try old.applying(
      isInserted ? edits.delete : edits.insert,
      limits: Workload.limits
    )
    isInserted.toggle()
    current = layout.update(current, by: change)
    return abs(current.context.contents.itemCount - old.itemCount)
  }

  func expected(ofRuns runs: Int) -> ClosedRange<Int> { items * runs ... items * runs }
}
