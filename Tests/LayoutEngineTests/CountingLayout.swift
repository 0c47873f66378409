// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Synchronization

/// How often layouts were asked to work, and what they are to do about it.
final class WorkCounter: Sendable {
  private let counts = Mutex((prepared: 0, updated: 0))
  private let onWork: @Sendable (LayoutWork) -> Void

  /// - Parameter onWork: called on the thread that works, each time.
  init(onWork: @escaping @Sendable (LayoutWork) -> Void = { _ in }) { self.onWork = onWork }

  var prepared: Int { counts.withLock { $0.prepared } }
  var updated: Int { counts.withLock { $0.updated } }

  func countPrepare(_ work: LayoutWork) {
    counts.withLock { $0.prepared += 1 }
    onWork(work)
  }

  func countUpdate(_ work: LayoutWork) {
    counts.withLock { $0.updated += 1 }
    onWork(work)
  }
}

/// A layout that depends on nothing but the width, and counts its work.
struct CountingLayout: CollectionLayout {
  let counter: WorkCounter
  var byteCount = 1000

  var kindName: String { "custom:counting" }

  func significantParts(of container: LayoutContainer) -> LayoutContainer {
    LayoutContainer(size: Size(width: container.size.width, height: 0))
  }

  func prepare(_ context: LayoutContext) -> any PreparedLayout {
    Prepared(context: context, byteCount: byteCount)
  }

  func prepare(
    _ context: LayoutContext,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout {
    counter.countPrepare(work)
    try work.throwIfStopped()
    return Prepared(context: context, byteCount: byteCount)
  }

  func update(
    _ prepared: any PreparedLayout,
    by change: ContentsChange,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout {
    counter.countUpdate(work)
    try work.throwIfStopped()
    var context = prepared.context
    context.contents = change.new
    return Prepared(context: context, byteCount: byteCount)
  }

  static func == (a: CountingLayout, b: CountingLayout) -> Bool {
    a.counter === b.counter && a.byteCount == b.byteCount
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(counter))
    hasher.combine(byteCount)
  }

  struct Prepared: PreparedLayout {
    var context: LayoutContext
    var byteCount: Int
    var contentSize: Size { Size(width: context.container.size.width, height: 0) }
    var kindNames: [String] { [""] }
    var scrollAxis: ScrollAxis? { nil }

    func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {}
    func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? { nil }
  }
}
