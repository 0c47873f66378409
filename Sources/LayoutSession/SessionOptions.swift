// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts

/// What a client may choose, and change while the session runs.
public struct SessionOptions: Hashable, Sendable {
  /// The most frames in flight, that is sent and not acknowledged: 1 to 8; 0 = 2.
  public var maxInFlightFrames: Int
  /// The shortest time from one frame to the next: 0 to 10 s.
  public var minFrameInterval: Duration
  /// How far beyond the visible rect elements are kept, in viewports: in the direction of
  /// scrolling, and in both directions at rest. 0 to 5; nil = 1.
  public var overscanAhead: Double?
  /// The same against the direction of scrolling. 0 to 5; nil = 0.5.
  public var overscanBehind: Double?
  /// What stays in place on screen when the content changes.
  public var anchorMode: AnchorMode
  /// The longest time without a message from the session: 1 to 60 s; nil = 15 s. A client from
  /// which nothing comes for three times as long is regarded as silent.
  public var heartbeatInterval: Duration?
  /// The edge of the content at which the viewport stays when the size of the content or of the
  /// viewport changes, if it rests there within a pixel. Anywhere else, also at the other edge,
  /// `anchorMode` decides. nil = the edge of `anchorMode`.
  public var sizeChangeAnchor: ContentEdge?
  /// Where content is placed along its scroll axis if it is shorter than the viewport within its
  /// insets; nil = in the upper left corner, whatever the reading direction.
  public var alignment: ContentAlignment?
  /// Which items the client is told to prepare before they come into sight.
  public var prefetch: PrefetchOptions {
    get { storedPrefetch.value ?? PrefetchOptions() }
    set { storedPrefetch = OutOfLine(newValue == PrefetchOptions() ? nil : newValue) }
  }
  /// Which elements the client wants to be told of when they have been seen.
  public var visibility: VisibilityOptions

  private var storedPrefetch = OutOfLine<PrefetchOptions>()

  /// Options with the given values. `granted` brings them within their ranges.
  public init(
    maxInFlightFrames: Int = 0,
    minFrameInterval: Duration = .zero,
    overscanAhead: Double? = nil,
    overscanBehind: Double? = nil,
    anchorMode: AnchorMode = .firstVisible,
    heartbeatInterval: Duration? = nil,
    sizeChangeAnchor: ContentEdge? = nil,
    alignment: ContentAlignment? = nil,
    prefetch: PrefetchOptions = PrefetchOptions(),
    visibility: VisibilityOptions = VisibilityOptions()
  ) {
    self.maxInFlightFrames = maxInFlightFrames
    self.minFrameInterval = minFrameInterval
    self.overscanAhead = overscanAhead
    self.overscanBehind = overscanBehind
    self.anchorMode = anchorMode
    self.heartbeatInterval = heartbeatInterval
    self.sizeChangeAnchor = sizeChangeAnchor
    self.alignment = alignment
    self.visibility = visibility
    self.prefetch = prefetch
  }

  /// The options that a session uses: every value is set, and brought within its range.
  public var granted: SessionOptions {
    SessionOptions(
      maxInFlightFrames: maxInFlightFrames <= 0 ? 2 : min(maxInFlightFrames, 8),
      minFrameInterval: min(max(minFrameInterval, .zero), .seconds(10)),
      overscanAhead: Self.grantedOverscan(overscanAhead ?? 1),
      overscanBehind: Self.grantedOverscan(overscanBehind ?? 0.5),
      anchorMode: anchorMode,
      heartbeatInterval: min(max(heartbeatInterval ?? .seconds(15), .seconds(1)), .seconds(60)),
      sizeChangeAnchor: sizeChangeAnchor,
      alignment: alignment,
      prefetch: prefetch.granted,
      visibility: visibility.granted
    )
  }

  /// Whether a client with these options has to report every scroll step.
  var needsEveryScroll: Bool { prefetch.isOn || !visibility.rules.isEmpty }

  /// The edge at which the viewport stays; nil = neither.
  var stayingEdge: ContentEdge? {
    if let sizeChangeAnchor { return sizeChangeAnchor }
    return switch anchorMode {
    case .none: nil
    case .firstVisible: .start
    case .lastVisible: .end
    }
  }

  /// Brings an overscan within 0 to 5 viewports. `Overscan` limits the area to 16 viewports in any
  /// case.
  private static func grantedOverscan(_ wish: Double) -> Double {
    wish.isFinite ? min(max(wish, 0), 5) : 0
  }
}

/// What stays in place on screen when the content changes; raw values are those of the contract.
///
/// `SessionOptions.sizeChangeAnchor` takes the place of the edges that are named here.
public enum AnchorMode: UInt8, Hashable, Sendable, CaseIterable {
  /// Nothing: the offset changes only where it would be beyond the content.
  case none = 1
  /// The first cell in sight; at the very start of the content, the start.
  case firstVisible = 2
  /// The last cell in sight; at the very end of the content, the end.
  case lastVisible = 3
}
