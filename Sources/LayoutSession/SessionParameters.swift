// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel

/// What a session is opened with.
public struct SessionParameters: Sendable {
  /// The data.
  public var contents: CollectionContents
  /// The version of the data. The versions of private contents count on from it.
  public var dataVersion: UInt64
  /// Whether other sessions see the same data. The owner then commits the batches of the session,
  /// and reports every committed batch by `collectionChanged`.
  public var isShared: Bool
  /// The layout with its options. The owner has validated it.
  public var layout: LayoutConfiguration
  /// Whether the layout is the session's own: it came with the client's request, rather than from
  /// the data.
  public var ownsLayout: Bool
  /// What the client sees at first. nil values mean: offset zero, size zero, no insets, one pixel
  /// per point, left to right. The session does not check the numbers: the reader of the client's
  /// message compares them with the limits that `ViewportChange` names. `observedFrame` is ignored.
  public var viewport: ViewportChange
  /// The client's options; the session brings them within their ranges.
  public var options: SessionOptions
  /// What was negotiated with the client.
  public var capabilities: ClientCapabilities
  /// The limits of private contents after batches.
  public var contentsLimits: ContentsLimits
  /// What the viewer has expanded. Unknown keys are ignored.
  public var expansions: ViewerExpansions
  /// What the viewer has changed of the columns of tables: at most `TablePreferences.maximumCount`
  /// of them.
  public var table: TablePreferences
  /// The most items that the viewer may expand or collapse other than the base.
  public var maxExpansionExceptions: Int
  /// The most elements in one frame, at least 1. If a viewport contains more, the coverage is
  /// smaller than the viewport.
  public var maxElements: Int
  /// How long the client may leave frames unacknowledged.
  public var patience: ClientPatience
  /// The sequence number of the event that opened the session.
  public var eventSequence: UInt64

  /// Parameters with the given values.
  public init(
    contents: CollectionContents,
    dataVersion: UInt64 = 0,
    isShared: Bool = false,
    layout: LayoutConfiguration,
    ownsLayout: Bool = true,
    viewport: ViewportChange = .init(),
    options: SessionOptions = .init(),
    capabilities: ClientCapabilities = .init(),
    contentsLimits: ContentsLimits = .init(),
    expansions: ViewerExpansions = .init(),
    table: TablePreferences = .init(),
    maxExpansionExceptions: Int = 10_000,
    maxElements: Int = 20_000,
    patience: ClientPatience = .init(),
    eventSequence: UInt64 = 1
  ) {
    self.contents = contents
    self.dataVersion = dataVersion
    self.isShared = isShared
    self.layout = layout
    self.ownsLayout = ownsLayout
    self.viewport = viewport
    self.options = options
    self.capabilities = capabilities
    self.contentsLimits = contentsLimits
    self.expansions = expansions
    self.table = table
    self.maxExpansionExceptions = maxExpansionExceptions
    self.maxElements = maxElements
    self.patience = patience
    self.eventSequence = eventSequence
  }
}

/// How long a client may leave frames unacknowledged.
public struct ClientPatience: Hashable, Sendable {
  /// The time after which the client is told that it is slow.
  public var notice: Duration
  /// The time after which the stream ends. If it is not longer than `notice`, the stream ends
  /// without a notice.
  public var end: Duration

  /// Patience of the given lengths.
  public init(notice: Duration = .seconds(10), end: Duration = .seconds(30)) {
    self.notice = notice
    self.end = end
  }
}

/// What the renderer can use, as far as frames depend on it.
public struct ClientCapabilities: Hashable, Sendable {
  /// The encoding that was chosen for this client.
  public var encoding: ElementEncoding
  /// The unit of the packed encoding and of the checksum: 64 or 192 units per point.
  public var unitsPerPoint: Int
  /// Whether the client wants the initial and final attributes of animated changes.
  public var animations: Bool
  /// Whether the renderer moves pinned elements itself, within their `PinRange`.
  public var pinning: Bool
  /// Whether the client wants a checksum with every frame.
  public var checksums: Bool
  /// Whether the client wants the key of each cell's item.
  public var itemKeys: Bool
  /// Whether the renderer applies scroll effects itself.
  public var scrollEffects: Bool
  /// Whether the client wants the section's key with each element of a section itself.
  public var sectionKeys: Bool
  /// Whether the client wants to be told about sections that scroll by themselves.
  public var sectionScrolls: Bool
  /// Whether the renderer scrolls such sections itself.
  public var sectionScrolling: Bool
  /// Whether the client wants the data of each cell's item.
  public var itemData: Bool

  /// Capabilities with the given values; by default those of the simplest client.
  public init(
    encoding: ElementEncoding = .messages,
    unitsPerPoint: Int = 64,
    animations: Bool = false,
    pinning: Bool = false,
    checksums: Bool = false,
    itemKeys: Bool = false,
    scrollEffects: Bool = false,
    sectionKeys: Bool = false,
    sectionScrolls: Bool = false,
    sectionScrolling: Bool = false,
    itemData: Bool = false
  ) {
    self.encoding = encoding
    self.unitsPerPoint = unitsPerPoint
    self.animations = animations
    self.pinning = pinning
    self.checksums = checksums
    self.itemKeys = itemKeys
    self.scrollEffects = scrollEffects
    self.sectionKeys = sectionKeys
    self.sectionScrolls = sectionScrolls
    self.sectionScrolling = sectionScrolling
    self.itemData = itemData
  }
}

/// How the elements of a frame are encoded; raw values are those of the contract.
public enum ElementEncoding: UInt8, Hashable, Sendable, CaseIterable {
  /// One message for each element, with exact values.
  case messages = 1
  /// Columns of integers; lengths are in units of 1 / `unitsPerPoint`.
  case packed = 2
}
