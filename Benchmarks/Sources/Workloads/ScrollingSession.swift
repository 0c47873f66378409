// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
import LayoutGeometry
import LayoutProtocol
public import LayoutSession

/// A session and its client, without anything between them: scrolls, edits, and acknowledges each
/// frame.
public struct ScrollingSession {
  /// Points from one step to the next.
  static let step = 60.0

  private var session: ViewportSession
  private(set) var encoder: FrameEncoder
  private var scratch = SessionScratch()
  private var lastFrame: UInt64 = 0
  private let start: Point
  /// Of one step.
  private let stride: Point
  /// From the start to the end of the content.
  private let room: Double
  /// Of the last event.
  public private(set) var frame: SessionFrame?
  public private(set) var bytes = 0

  /// At the very start of the content.
  ///
  /// - Parameter capabilities: of the client.
  public init(
    _ contents: CollectionContents,
    layout: any CollectionLayout,
    capabilities: ClientCapabilities = ClientCapabilities(encoding: .packed)
  ) {
    let prepared = layout.prepare(Workload.context(contents))
    self.init(prepared, layout: layout, at: .zero, capabilities: capabilities)
  }

  /// In the middle of the content.
  init(
    _ prepared: any PreparedLayout,
    layout: any CollectionLayout,
    capabilities: ClientCapabilities
  ) {
    let viewport = Workload.container.size
    let size = prepared.contentSize
    var middle = Point.zero
    if prepared.scrollAxis != .vertical { middle.x = max(0, (size.width - viewport.width) / 2) }
    if prepared.scrollAxis != .horizontal { middle.y = max(0, (size.height - viewport.height) / 2) }
    self.init(prepared, layout: layout, at: middle, capabilities: capabilities)
  }

  private init(
    _ prepared: any PreparedLayout,
    layout: any CollectionLayout,
    at start: Point,
    capabilities: ClientCapabilities
  ) {
    self.start = start
    let axis = prepared.scrollAxis ?? .vertical
    stride = axis.point(main: Self.step, cross: 0)
    room = axis.main(prepared.contentSize) - axis.main(Workload.container.size) - axis.main(start)
    session = ViewportSession(
      open: SessionParameters(
        contents: prepared.context.contents,
        layout: LayoutConfiguration(layout),
        viewport: ViewportChange(offset: start, size: Workload.container.size),
        options: SessionOptions(overscanAhead: 0, overscanBehind: 0, anchorMode: .none),
        capabilities: capabilities,
        contentsLimits: Workload.limits
      )
    )
    encoder = FrameEncoder(capabilities: capabilities)
    if let request = session.wantedLayout { session.supply(prepared, for: request) }
    move(to: start)
    encode()
  }

  // MARK: - Events

  /// How many steps there are to the end of the content.
  func steps(atMost limit: Int) -> Int { min(limit, Int(max(0, room) / Self.step)) }

  /// One viewport event, the frame that answers it, encoded, and its acknowledgement.
  public mutating func step(to y: Double) {
    move(to: Point(x: start.x, y: y))
    encode()
  }

  /// One viewport event, so many steps from where the session began, the frame that answers it, and
  /// its acknowledgement.
  mutating func move(toStep step: Int) {
    move(to: Point(x: start.x + Double(step) * stride.x, y: start.y + Double(step) * stride.y))
  }

  private mutating func move(to offset: Point) {
    receive(.viewport(ViewportChange(observedFrame: lastFrame, offset: offset)))
  }

  /// A batch of the session's own, the frame that tells it, and its acknowledgement.
  mutating func edit(_ batch: UpdateBatch) { receive(.update(batch)) }

  /// The last frame, of which the session makes no other.
  mutating func takeFrame() -> SessionFrame? {
    defer { frame = nil }
    return frame
  }

  private mutating func receive(_ event: SessionEvent) {
    _ = try? session.receive(event, seq: session.lastEvent + 1, at: .zero)
    while let request = session.wantedLayout {
      session.supply(request.prepare(), for: request)
    }
    if let frame { scratch.takeBack(frame) }
    frame = nil
    guard let frame = session.nextFrame(at: .zero, scratch: &scratch) else { return }
    lastFrame = frame.sequence
    self.frame = frame
    _ = try? session.acknowledge(FrameAck(sequence: frame.sequence), at: .zero)
  }

  private mutating func encode() {
    guard let frame else { return }
    bytes = ((try? encoder.encode(frame)) ?? []).reduce(0) { $0 + $1.bytes.count }
  }
}
