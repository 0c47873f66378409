// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionLayouts

/// The layout that the user drags towards.
struct TransitionTarget: Sendable {
  let boxedConfiguration: Boxed<LayoutConfiguration>
  var container: LayoutContainer
  var prepared: PreparedState?
  /// 0…1.
  var progress = 0.0
  /// Of the two layouts, as soon as both are there.
  var kinds: Boxed<InterpolatedKinds>?

  var configuration: LayoutConfiguration { boxedConfiguration.value }
}

extension ViewportSession {
  mutating func apply(_ step: InteractiveTransition) throws(Refusal) {
    switch step {
    case .begin(let layout):
      try validate(layout)
      target = TransitionTarget(
        boxedConfiguration: Boxed(layout),
        container: layout.layout.significantParts(of: wholeContainer)
      )
      presentedLayoutChanged()
    case .progress(let progress):
      try requireTransition()
      guard progress >= 0, progress <= 1 else {
        throw Refusal(.fieldInvalid, field: "progress", "\(progress) where 0 to 1 is allowed")
      }
      target?.progress = progress
    case .finish:
      try requireTransition()
      if let target { finish(target) }
    case .cancel:
      try requireTransition()
      target = nil
      isAnchoringSuspended = true
      presentedLayoutChanged()
      dropLostSectionOffsets()
    }
    layoutVersion += 1
  }

  private func requireTransition() throws(Refusal) {
    guard target == nil else { return }
    throw Refusal(.wrongState, "No transition has begun.")
  }

  private mutating func finish(_ target: TransitionTarget) {
    boxedConfiguration = target.boxedConfiguration
    container = target.container
    let reached = target.prepared
    let isReached = reached?.geometry == geometry
    geometry += 1
    if isReached, var reached {
      reached.geometry = geometry
      prepared = reached
    }
    self.target = nil
    isAnchoringSuspended = true
    presentedLayoutChanged()
    dropLostSectionOffsets()
  }
}
