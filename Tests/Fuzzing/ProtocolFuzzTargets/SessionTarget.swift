// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutProtocol
import LayoutSession
import SwiftProtobuf

/// A stream of requests from any bytes: decoded, given to a session, and its frames encoded both
/// ways and applied to mirrors.
package struct SessionTarget {
  private var session: ViewportSession
  /// Of the collection, where the session shares one.
  private var shared: CollectionContents?
  /// The other collection whose items the session holds.
  private var elsewhere = CollectionContents.empty
  private var outputs: [Output]
  private var now = Duration.zero
  private var fault: String?
  /// The numbers of candidates and sightings that the client was told of.
  private var candidates: Set<UInt64> = []
  private var sightings: Set<UInt64> = []

  /// Frames in one encoding, and who applies them.
  private struct Output {
    var encoder: FrameEncoder
    var mirror: ElementMirror
  }

  /// Small, so that an input takes some milliseconds.
  private static let rules = ReadingRules(
    limits: ContentsLimits(items: 2000, sections: 200, operations: 200)
  )
  private static let maxElements = 3000
  /// Layouts that take longer are somebody else's business.
  private static let maxRequests = 80

  /// Runs what the bytes say: records of encoded requests, of which the first may open.
  ///
  /// - Returns: what is wrong; nil when nothing is. A trap is wrong too.
  package static func run(_ bytes: [UInt8]) -> String? {
    var messages = 0
    return run(bytes, messages: &messages)
  }

  /// - Parameter messages: grows by one for each request that could be decoded.
  package static func run(_ bytes: [UInt8], messages: inout Int) -> String? {
    var records = Records.split(bytes).prefix(maxRequests).map { Array($0) }
    let opening = records.isEmpty ? nil : request(records.removeFirst())
    var target = SessionTarget(opening)
    messages += opening == nil ? 0 : 1
    target.pump()
    for record in records where target.fault == nil {
      guard let request = request(record) else { continue }
      messages += 1
      target.receive(request)
      target.pump()
    }
    return target.fault
  }

  private static func request(_ bytes: [UInt8]) -> StreamRequest? {
    try? StreamRequest(decoding: bytes.span.bytes)
  }

  private init(_ opening: StreamRequest?) {
    var parameters = SessionParameters(
      contents: CollectionContents(sections: [
        SectionContents(key: "a", blocks: [ItemBlock(count: 300)]),
        SectionContents(key: "b", blocks: [ItemBlock(count: 40, heights: [30])]),
      ]),
      layout: LayoutConfiguration(ListLayout()),
      viewport: ViewportChange(size: Size(width: 320, height: 480))
    )
    var start: SessionStart?
    if case .open(let message) = opening?.message.event,
      let open = try? message.decoded(by: Self.rules)
    {
      switch open.source {
      case .contents(let contents): parameters.contents = contents
      case .collection: parameters.isShared = true
      case .resume: break
      }
      parameters.layout = open.layout ?? parameters.layout
      parameters.viewport = open.viewport
      parameters.options = open.options
      parameters.capabilities = open.capabilities
      start = open.start
    }
    parameters.capabilities.checksums = true
    parameters.contentsLimits = Self.rules.limits
    parameters.maxElements = Self.maxElements
    shared = parameters.isShared ? parameters.contents : nil
    session = ViewportSession(open: parameters)
    if let start { try? session.begin(at: start) }
    let capabilities = parameters.capabilities
    outputs = ElementEncoding.allCases.map { encoding in
      var own = capabilities
      own.encoding = encoding
      return Output(
        encoder: FrameEncoder(capabilities: own),
        mirror: ElementMirror(unitsPerPoint: capabilities.unitsPerPoint)
      )
    }
  }

  private mutating func receive(_ request: StreamRequest) {
    now += .milliseconds(20)
    let ack =
      switch request {
      case .scroll(let step): step.ack
      case .message, .undecoded: request.message.frameAck
      }
    // A violation ends a stream; here the session goes on, as it does after a resume.
    if let ack { _ = try? session.acknowledge(ack, at: now) }
    let event: SessionEvent? =
      switch request {
      case .scroll(let step): step.viewport.map { .viewport($0) }
      case .message, .undecoded: try? request.message.sessionEvent(by: Self.rules)
      }
    guard let event, let messages = try? session.receive(event, seq: session.lastEvent + 1, at: now)
    else { return }
    for message in messages {
      switch message {
      case .commit(let seq, let batch): commit(batch, seq: seq)
      case .lookUp(let seq, let keys): lookUp(keys, seq: seq)
      case .transfer(let seq, _, let transfer): commit(transfer, seq: seq)
      case .share(let offer):
        let outcome = SharedOutcome(refusing: offer.sizes.keys, .role)
        _ = session.offered(offer, outcome, at: now)
      case .eventResult, .scrollTarget: break
      }
    }
  }

  /// Finds whatever is looked for, as if another collection had it.
  private mutating func lookUp(_ wanted: ForeignKeys, seq: UInt64) {
    var seen: Set<String> = [""]
    let keys = wanted.keys.filter { seen.insert($0).inserted }
    let block = ItemBlock(count: keys.count, heights: [30], keys: keys)
    elsewhere = CollectionContents(sections: [SectionContents(blocks: [block])])
    let found = try? elsewhere.dragged(keys: keys, field: "keys", stepLimit: 100)
    let items = found ?? DraggedItems([], cellKindNames: [])
    _ = session.foreignFound(items, from: wanted.collection, seq: seq, at: now)
  }

  /// Commits the session's side of a transfer.
  private mutating func commit(_ transfer: ItemTransfer, seq: UInt64) {
    guard let shared, let batches = try? TransferBatches(transfer, from: elsewhere, to: shared)
    else {
      _ = session.updateSettled(seq: seq, .refused(Refusal(.keyUnknown, "gone")), at: now)
      return
    }
    commit(batches.insertion, seq: seq)
  }

  /// Commits a batch as the owner of a shared session does.
  private mutating func commit(_ batch: UpdateBatch, seq: UInt64) {
    guard let contents = shared else { return }
    do {
      let change = try contents.applying(batch, limits: Self.rules.limits)
      shared = change.new
      let version = session.dataVersion + 1
      session.collectionChanged(change, toVersion: version)
      _ = session.updateSettled(seq: seq, .committed(version: version, isDuplicate: false), at: now)
    } catch {
      let problem = Refusal(.batchInconsistent, "\(error)")
      _ = session.updateSettled(seq: seq, .refused(problem), at: now)
    }
  }

  /// Takes what the session has to say until there is nothing more.
  private mutating func pump() {
    while let request = session.wantedLayout { session.supply(request.prepare(), for: request) }
    if let frame = session.nextFrame(at: now) { apply(frame) }
    announce()
    if session.liveCount > 2 * Self.maxElements { fault = "\(session.liveCount) live elements" }
    if session.byteCount > 8 << 20 { fault = "\(session.byteCount) bytes are kept" }
    var layouts = 0
    session.forEachPinnedLayout { _ in layouts += 1 }
    if layouts > 4 { fault = "\(layouts) layouts are kept" }
  }

  /// Takes what the session says of candidates and sightings: each begins once and ends once.
  private mutating func announce() {
    if let change = session.nextPrefetch(at: now) {
      if change.isReset { candidates = [] }
      for number in change.shown + change.cancelled where candidates.remove(number) == nil {
        fault = "no item \(number) was asked for"
      }
      for item in change.items where !candidates.insert(item.number).inserted {
        fault = "item \(item.number) was asked for twice"
      }
      if candidates.count > PrefetchOptions.greatestMaxItems { fault = "too many candidates" }
    }
    if let change = session.nextVisibility(at: now) {
      if change.isReset { sightings = [] }
      for end in change.ended where sightings.remove(end.number) == nil {
        fault = "sighting \(end.number) was not told"
      }
      for sighting in change.began where !sightings.insert(sighting.number).inserted {
        fault = "sighting \(sighting.number) was told twice"
      }
    }
  }

  private mutating func apply(_ frame: SessionFrame) {
    for index in outputs.indices {
      do {
        for response in try outputs[index].encoder.encode(frame) {
          let message = try Wire.StreamLayoutResponse(serializedBytes: response.bytes)
          _ = try outputs[index].mirror.apply(message.frame)
        }
      } catch {
        fault = "frame \(frame.sequence), encoding \(index): \(error)"
        return
      }
      let mirror = outputs[index].mirror
      if mirror.liveCount != session.liveCount || mirror.stateChecksum != session.stateChecksum {
        fault = "frame \(frame.sequence), encoding \(index): another state than the session's"
      }
    }
  }
}
