// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
import LayoutGeometry
import LayoutProtocol
public import LayoutSession

/// A session and its client, without anything between them: scrolls, and acknowledges each frame.
public struct ScrollingSession {
  private var session: ViewportSession
  private var encoder: FrameEncoder
  private var scratch = SessionScratch()
  private var lastFrame: UInt64 = 0
  private var offset = Point.zero
  /// Of the last step.
  public private(set) var frame: SessionFrame?
  public private(set) var bytes = 0

  /// - Parameter capabilities: of the client.
  public init(
    _ contents: CollectionContents,
    layout: any CollectionLayout,
    capabilities: ClientCapabilities = ClientCapabilities(encoding: .packed)
  ) {
    session = ViewportSession(
      open: SessionParameters(
        contents: contents,
        layout: LayoutConfiguration(layout),
        viewport: ViewportChange(offset: .zero, size: Workload.container.size),
        options: SessionOptions(overscanAhead: 0, overscanBehind: 0, anchorMode: .none),
        capabilities: capabilities
      )
    )
    encoder = FrameEncoder(capabilities: capabilities)
    step(to: 0)
  }

  /// One viewport event, the frame that answers it, encoded, and its acknowledgement.
  public mutating func step(to y: Double) {
    offset.y = y
    let event = SessionEvent.viewport(
      ViewportChange(observedFrame: lastFrame, offset: offset)
    )
    _ = try? session.receive(event, seq: session.lastEvent + 1, at: .zero)
    while let request = session.wantedLayout {
      session.supply(request.prepare(), for: request)
    }
    if let frame { scratch.takeBack(frame) }
    frame = nil
    guard let frame = session.nextFrame(at: .zero, scratch: &scratch) else {
      self.frame = nil
      return
    }
    bytes = encoder.encode(frame).reduce(0) { $0 + $1.bytes.count }
    lastFrame = frame.sequence
    self.frame = frame
    _ = try? session.acknowledge(FrameAck(sequence: frame.sequence), at: .zero)
  }
}
