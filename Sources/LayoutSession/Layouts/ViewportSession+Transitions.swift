// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

extension ViewportSession {
  /// Says where the elements that a frame adds come from and where those that it removes go to.
  ///
  /// Asked for every element that comes into view or leaves it, as UIKit does: an inserted item
  /// fades in, a displaced one slides from where it was in the old layout. Attributes of the old
  /// layout are moved by the frame's offset adjustment, so that they stay where they are on screen.
  func addTransition(
    to frame: inout SessionFrame,
    _ changes: LiveChanges,
    oldExtras: [ElementExtra],
    from sent: SentState,
    to presented: any PreparedLayout,
    adjustment: Point
  ) {
    var transition = FrameTransition(isAnimated: true, fromDataVersion: sent.dataVersion)
    let appearing = configuration.options.appearing ?? presented.defaultAppearing
    for added in changes.added {
      let upsert = frame.upserts[added.upsert]
      let origin = oldPath(of: upsert.element.indexPath, since: sent.epoch).flatMap { path in
        sent.prepared.attributes(of: key(of: upsert.element, at: path), viewport: sent.viewport)
      }
      let initial =
        origin.map { $0.moved(by: adjustment) }
        ?? appearing.applied(to: frame.attributes(of: upsert), viewport: viewport)
      transition.appearing.append(frame.appending(initial, like: upsert.element, upsert.slot))
    }
    let disappearing = configuration.options.disappearing ?? presented.defaultDisappearing
    for (index, live) in changes.removed.enumerated() {
      // Those that departed come first.
      let survives = index >= changes.departedCount
      let destination =
        survives
        ? presented.attributes(of: key(of: live.element, at: live.path), viewport: viewport) : nil
      let final =
        destination
        ?? disappearing.applied(
          to: live.element.attributes(oldExtras).moved(by: adjustment),
          viewport: viewport
        )
      transition.disappearing.append(frame.appending(final, like: live.element, live.slot))
    }
    if capabilities.itemKeys {
      let old = sent.prepared.context.contents
      transition.itemKeys =
        transition.appearing.map { itemKey(of: $0.element, in: contents.effective) }
        + transition.disappearing.map { itemKey(of: $0.element, in: old) }
    }
    frame.transition = transition
  }

  /// Where the element that is at `path` now was at an earlier state of the contents; nil = it was
  /// not there, or that is no longer known.
  private func oldPath(of path: IndexPath, since epoch: Int) -> IndexPath? {
    guard let changes = contents.changes(since: epoch) else { return nil }
    var path = path
    for change in changes.reversed() {
      guard let older = change.oldIndexPath(ofNew: path) else { return nil }
      path = older
    }
    return path
  }

  private func key(of element: LayoutElement, at path: IndexPath) -> ElementKey {
    ElementKey(
      category: element.category,
      kind: kinds.name(element.kind),
      indexPath: path
    )
  }
}

extension LayoutElement {
  /// The full attributes, with what `extra` points into.
  func attributes(_ extras: [ElementExtra]) -> LayoutAttributes {
    let extra = extra < 0 ? nil : extras[Int(extra)]
    return LayoutAttributes(
      frame: frame,
      transform: extra?.transform ?? .identity,
      alpha: alpha,
      zIndex: Int(zIndex),
      isHidden: isHidden,
      custom: extra?.custom
    )
  }
}

extension LayoutAttributes {
  func moved(by vector: Point) -> LayoutAttributes {
    var moved = self
    moved.frame = frame.offset(by: vector)
    return moved
  }
}

extension SessionFrame {
  /// The attributes as an element of this frame, with the identity of another.
  fileprivate mutating func appending(
    _ attributes: LayoutAttributes,
    like element: LayoutElement,
    _ slot: UInt32
  ) -> FrameElement {
    var copy = LayoutElement(
      category: element.category,
      kind: element.kind,
      indexPath: element.indexPath,
      frame: attributes.frame,
      zIndex: Int32(clamping: attributes.zIndex),
      alpha: attributes.alpha,
      isHidden: attributes.isHidden
    )
    if attributes.transform != .identity || attributes.custom != nil {
      copy.extra = Int32(extras.count)
      extras.append(ElementExtra(transform: attributes.transform, custom: attributes.custom))
    }
    return FrameElement(element: copy, slot: slot, previousPath: element.indexPath)
  }
}
