// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

extension ViewportSession {
  /// Adds to a frame where its new elements come from and where the removed ones go to.
  ///
  /// Like UIKit, this covers every element that comes into view or leaves it: an inserted item
  /// fades in, and a displaced one slides from its place in the old layout. Attributes in the old
  /// layout are moved by the frame's offset adjustment, so that they stay in place on screen.
  ///
  /// - Parameter changes: the changes of the frame, which is not a keyframe.
  /// - Parameter oldExtras: the extras of the frame before.
  /// - Parameter adjustment: the offset adjustment of the new layout, without any that is repeated.
  func addTransition(
    to frame: inout SessionFrame,
    _ changes: LiveChanges,
    oldExtras: [ElementExtra],
    from sent: SentState,
    to box: LayoutBox,
    adjustment: Point,
    _ effort: FrameEffort
  ) {
    let presented = seen(box)
    let old = seen(sent.box)
    let work = effort.work(limit: SessionLimits.transitionSteps)
    var transition = FrameTransition(isAnimated: true, fromDataVersion: sent.dataVersion)
    var choice = AppearanceChoice(configuration.options)
    var scrolls =
      capabilities.sectionScrolling ? SectionScrolls(box.value, viewport: viewport) : nil
    for added in changes.added {
      let upsert = frame.upserts[added.upsert]
      let origin = oldPath(of: upsert.element.indexPath, since: sent.epoch).flatMap { path in
        old.attributes(
          of: key(of: upsert.element, at: path),
          viewport: sent.viewport,
          work: work
        )
      }
      let initial: LayoutAttributes
      if var origin = origin?.moved(by: adjustment) {
        if upsert.element.scrollsAcross,
          let moved = scrolls?.displacement(of: upsert.element.indexPath)
        {
          origin = origin.moved(by: .zero - moved)
        }
        initial = origin.fading
      } else {
        let animation =
          choice.appearing(
            upsert.element.category,
            kind: upsert.element.kind,
            name: kinds.name(upsert.element.kind),
            itemKey: { contents.effective.key(at: upsert.element.indexPath) }
          ) ?? presented.defaultAppearing
        initial = animation.applied(to: frame.attributes(of: upsert), viewport: viewport)
      }
      var told = frame.appending(initial, like: upsert.element, upsert.slot)
      told.element.scrollsAcross = scrolls != nil && upsert.element.scrollsAcross
      transition.appearing.append(told)
    }
    var oldScrolls = sectionScrolls(of: sent)
    for (index, live) in changes.removed.enumerated() {
      // Elements whose item or section no longer exists come first.
      let survives = index >= changes.departedCount
      let destination =
        survives
        ? presented.attributes(
          of: key(of: live.element, at: live.path),
          viewport: viewport,
          work: work
        ) : nil
      let final =
        destination?.fading
        ?? left(live, oldExtras, adjustment, sent, &oldScrolls, presented, &choice)
      transition.disappearing.append(frame.appending(final, like: live.element, live.slot))
    }
    if wantsKeys {
      let old = sent.prepared.context.contents
      transition.keys =
        transition.appearing.map { toldKey(of: $0.element, in: contents.effective) }
        + transition.disappearing.map { toldKey(of: $0.element, in: old) }
    }
    frame.transition = transition
  }

  /// The final attributes of an element that is gone, where it is seen.
  private func left(
    _ live: LeavingElement,
    _ oldExtras: [ElementExtra],
    _ adjustment: Point,
    _ sent: SentState,
    _ scrolls: inout SectionScrolls?,
    _ presented: any PreparedLayout,
    _ choice: inout AppearanceChoice
  ) -> LayoutAttributes {
    var last = live.element.attributes(oldExtras).moved(by: adjustment)
    if live.element.scrollsAcross, let moved = scrolls?.displacement(of: live.element.indexPath) {
      last = last.moved(by: moved)
    }
    let animation =
      choice.disappearing(
        live.element.category,
        kind: live.element.kind,
        name: kinds.name(live.element.kind),
        itemKey: { sent.prepared.context.contents.key(at: live.element.indexPath) }
      ) ?? presented.defaultDisappearing
    return animation.applied(to: last, viewport: viewport)
  }

  /// The index path that an item or section had in earlier contents; nil = it did not exist, or the
  /// changes since then are no longer kept.
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
  /// All attributes of the element.
  ///
  /// - Parameter extras: those that `extra` is an index into.
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
  /// The attributes as an end of an animation: an element that is transparent there fades, so it
  /// does not matter that it is hidden as well.
  var fading: LayoutAttributes {
    var fading = self
    if alpha == 0 { fading.isHidden = false }
    return fading
  }

  /// The same attributes with the frame at another place.
  func moved(by vector: Point) -> LayoutAttributes {
    var moved = self
    moved.frame = frame.offset(by: vector)
    return moved
  }
}

extension SessionFrame {
  /// An element with the given attributes and the identity of another, whose extras are added to
  /// this frame. Their number fits 32 bits: there is at most one for each element of the frame.
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
