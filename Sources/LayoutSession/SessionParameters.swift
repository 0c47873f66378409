// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel

/// What a session starts with.
public struct SessionParameters: Sendable {
  /// The data, and its version.
  public var contents: CollectionContents
  public var dataVersion: UInt64
  /// Whether others edit the data too: updates are then committed by the owner of the session, who
  /// reports every committed batch by `collectionChanged`.
  public var isShared: Bool
  public var layout: LayoutConfiguration
  /// Unset fields: offset zero, size zero, no insets, left to right at one pixel to a point.
  public var viewport: ViewportChange
  public var options: SessionOptions
  public var capabilities: ClientCapabilities
  /// What a batch of the session's own contents may grow them to.
  public var contentsLimits: ContentsLimits
  /// Elements in one frame; a viewport that holds more gets a smaller coverage.
  public var maxElements: Int
  public var patience: ClientPatience
  /// The event that opened the session.
  public var eventSequence: UInt64

  public init(
    contents: CollectionContents,
    dataVersion: UInt64 = 0,
    isShared: Bool = false,
    layout: LayoutConfiguration,
    viewport: ViewportChange = .init(),
    options: SessionOptions = .init(),
    capabilities: ClientCapabilities = .init(),
    contentsLimits: ContentsLimits = .init(),
    maxElements: Int = 20_000,
    patience: ClientPatience = .init(),
    eventSequence: UInt64 = 1
  ) {
    self.contents = contents
    self.dataVersion = dataVersion
    self.isShared = isShared
    self.layout = layout
    self.viewport = viewport
    self.options = options
    self.capabilities = capabilities
    self.contentsLimits = contentsLimits
    self.maxElements = maxElements
    self.patience = patience
    self.eventSequence = eventSequence
  }
}

/// How long a client may leave frames unacknowledged.
public struct ClientPatience: Hashable, Sendable {
  /// Until it is told that it is slow.
  public var notice: Duration
  /// Until its stream ends; where this is not longer, there is no notice.
  public var end: Duration

  public init(notice: Duration = .seconds(10), end: Duration = .seconds(30)) {
    self.notice = notice
    self.end = end
  }
}

/// What the renderer can use, as far as frames depend on it.
public struct ClientCapabilities: Hashable, Sendable {
  /// The encoding that was chosen for this client.
  public var encoding: ElementEncoding
  /// Of the packed encoding and of the checksum.
  public var unitsPerPoint: Int
  /// Wants initial and final attributes of animated updates.
  public var animations: Bool
  /// Moves pinned elements itself, by `PinRange`.
  public var pinning: Bool
  /// Wants a checksum with every frame.
  public var checksums: Bool
  public var itemKeys: Bool

  public init(
    encoding: ElementEncoding = .messages,
    unitsPerPoint: Int = 64,
    animations: Bool = false,
    pinning: Bool = false,
    checksums: Bool = false,
    itemKeys: Bool = false
  ) {
    self.encoding = encoding
    self.unitsPerPoint = unitsPerPoint
    self.animations = animations
    self.pinning = pinning
    self.checksums = checksums
    self.itemKeys = itemKeys
  }
}

/// How the elements of a frame travel.
public enum ElementEncoding: UInt8, Hashable, Sendable, CaseIterable {
  /// One message for each element, exact.
  case messages = 1
  /// Columns of integers, in units of 1 / `unitsPerPoint`.
  case packed = 2
}
