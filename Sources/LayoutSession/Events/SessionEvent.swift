// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel

/// What a client sends to a session.
public enum SessionEvent: Sendable {
  /// The user scrolled, or the viewport changed.
  case viewport(ViewportChange)
  /// A batch of changes of the data.
  case update(UpdateBatch)
  /// Another layout.
  case layout(LayoutChange)
  /// A stored layout of the collection, by name. The session refuses this event: its owner, who
  /// knows the collection, makes a `LayoutChange` of it and later calls
  /// `ViewportSession.follow(_:)`.
  case namedLayout(String, isAnimated: Bool)
  /// Sizes that the renderer measured.
  case measurements(MeasurementReport)
  /// Other session options, which replace all previous ones.
  case options(SessionOptions)
  /// The client's elements are wrong or gone: a keyframe follows.
  case resync
  /// The client is leaving; `discard` = it will not resume.
  case close(discard: Bool)
  /// A question where to scroll.
  case scrollTarget(ScrollRequest)
  /// A step of reordering items by hand.
  case movement(InteractiveMovement)
  /// A step of a layout change that the user controls.
  case transition(InteractiveTransition)
  /// Items of outlines to expand and to collapse.
  case outline(OutlineEvent)
  /// Columns of tables that the viewer resizes, hides, freezes or reorders.
  case table(TableChange)
  /// Attributes may have changed without new data. The session looks at all elements in the
  /// coverage again, whichever are named.
  case invalidation([ElementKey])
  /// A question that is answered once everything before it has been applied and sent.
  case sync
  /// An event that this server does not know, by its name.
  case unsupported(String)
}

extension SessionEvent {
  /// What a later event does with an earlier one that has not been applied.
  public enum Succession: Sendable {
    /// It makes it unnecessary, unless it is refused.
    case supersedes
    /// It does not depend on it.
    case passes
    /// It needs what the earlier one did.
    case needs
  }

  /// What this event does with an earlier one. Only steps of movements that say where the held
  /// items go are ever superseded: a target by the next target, a position by the next of either.
  /// A target is not superseded by a position, for it stays where the position meets no cell.
  public func succeeds(_ earlier: SessionEvent) -> Succession {
    switch (earlier, self) {
    case (.movement(.target), .movement(.target)), (.movement(.position), .movement(.target)),
      (.movement(.position), .movement(.position)):
      .supersedes
    case (.movement(.target), .movement(.position)), (.movement(.target), .viewport),
      (.movement(.position), .viewport):
      .passes
    default: .needs
    }
  }

  /// Whether a target that was left to a later one may go on waiting.
  func letsTargetWait(isSuperseded: Bool) -> Bool {
    switch self {
    case .movement(.target), .movement(.cancel), .viewport, .unsupported: true
    case .movement(.position): isSuperseded
    default: false
    }
  }
}
