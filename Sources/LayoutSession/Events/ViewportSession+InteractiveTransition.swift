// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel

/// The layout at which a transition under the user's control ends.
struct TransitionTarget: Sendable {
  /// This layout, which is not responsive.
  var boxedConfiguration: Boxed<LayoutConfiguration>
  /// Roughly the memory of this layout, in bytes; 0 = it belongs to `choice`.
  var layoutByteCount: Int
  /// The responsive layout that this is a variant of; nil = none.
  var choice: VariantChoice?
  /// The parts of the container on which this layout depends.
  var container: LayoutContainer
  /// The prepared layout; nil = it is still to be supplied.
  var prepared: PreparedState?
  /// How far the transition is, as the client said: 0 = the session's layout, 1 = this one. It may
  /// lie outside of 0…1.
  var progress = 0.0
  /// The common kind numbers of both layouts; nil = one of them is still to be supplied.
  var kinds: Boxed<InterpolatedKinds>?

  var configuration: LayoutConfiguration { boxedConfiguration.value }
  /// The progress that frames show, from 0 to 1.
  var shownProgress: Double { min(max(progress, 0), 1) }
}

extension ViewportSession {
  /// Carries out a step of a transition.
  ///
  /// - Throws: WRONG_STATE if no transition has begun, FIELD_INVALID if the layout or the progress
  ///   is invalid.
  mutating func apply(_ step: InteractiveTransition) throws(Refusal) {
    switch step {
    case .begin(let layout):
      try validate(layout)
      let environment = environment
      let choice = VariantChoice(layout, in: environment)
      let resolved = choice?.configuration(in: environment) ?? layout
      target = TransitionTarget(
        boxedConfiguration: Boxed(resolved),
        layoutByteCount: choice == nil ? resolved.byteCount : 0,
        choice: choice,
        container: resolved.layout.significantParts(of: wholeContainer)
      )
      presentedLayoutChanged()
    case .progress(let progress):
      try requireTransition()
      guard progress.isFinite else {
        throw Refusal(
          .fieldInvalid,
          field: "progress",
          "\(progress) found; a finite number is allowed"
        )
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

  /// Makes the layout of a transition the session's own.
  private mutating func finish(_ target: TransitionTarget) {
    boxedConfiguration = target.boxedConfiguration
    layoutByteCount = target.layoutByteCount
    choice = target.choice
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
