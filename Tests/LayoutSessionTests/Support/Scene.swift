// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@testable import LayoutSession

/// A session with its owner and a client that applies and acknowledges every frame at once.
struct Scene {
  var session: ViewportSession
  var client: MirrorClient
  var now = Duration.zero
  /// The frames of the last step.
  var frames: [SessionFrame] = []
  /// The messages of the last step.
  var messages: [SessionMessage] = []
  private(set) var preparedCount = 0
  private(set) var derivedCount = 0
  /// Whether drafts are supplied where the session can show them.
  var showsDrafts = false
  /// How many items a beginning has that is shown before the whole is supplied; nil = none is.
  private let beginningCount: Int?

  init(
    _ contents: CollectionContents,
    layout: any CollectionLayout,
    layoutOptions: LayoutOptions = .init(),
    scrollEffects: [ScrollEffect] = [],
    size: Size = Size(width: 320, height: 480),
    offset: Point? = nil,
    insets: EdgeInsets = .zero,
    traits: ViewportChange.Traits? = nil,
    options: SessionOptions = .init(anchorMode: .none),
    capabilities: ClientCapabilities = .init(animations: true, checksums: true, itemKeys: true),
    isShared: Bool = false,
    maxElements: Int = 20_000,
    expansions: ViewerExpansions = .init(),
    maxExpansionExceptions: Int = 10_000,
    beginningCount: Int? = nil,
    openOffsets: [Int: Double] = [:],
    start: SessionStart? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    self.beginningCount = beginningCount
    session = ViewportSession(
      open: SessionParameters(
        contents: contents,
        isShared: isShared,
        layout: LayoutConfiguration(
          layout,
          options: layoutOptions,
          scrollEffects: scrollEffects
        ),
        viewport: ViewportChange(
          offset: offset,
          size: size,
          insets: insets,
          sectionOffsets: openOffsets,
          traits: traits
        ),
        options: options,
        capabilities: capabilities,
        expansions: expansions,
        maxExpansionExceptions: maxExpansionExceptions,
        maxElements: maxElements
      )
    )
    client = MirrorClient(offset: offset ?? .zero)
    client.unitsPerPoint = capabilities.unitsPerPoint
    if let start {
      do throws(Refusal) { try session.begin(at: start) } catch {
        Issue.record("\(error)", sourceLocation: sourceLocation)
      }
    }
    settle(sourceLocation: sourceLocation)
  }

  /// Supplies layouts and takes frames until there are no more.
  mutating func settle(sourceLocation: SourceLocation = #_sourceLocation) {
    frames = []
    while true {
      prepare()
      guard let frame = session.nextFrame(at: now) else { return }
      frames.append(frame)
      client.apply(frame, sourceLocation: sourceLocation)
      do {
        try session.acknowledge(
          FrameAck(sequence: frame.sequence, stateChecksum: client.checksum),
          at: now
        )
      } catch {
        Issue.record("\(error)", sourceLocation: sourceLocation)
      }
    }
  }

  /// Supplies the layouts that the session wants.
  mutating func prepare() {
    while let request = session.wantedLayout {
      if let beginningCount,
        let beginning = request.prepareBeginning(ofAtLeast: beginningCount)
      {
        session.supply(beginning: beginning, for: request)
        continue
      }
      if showsDrafts, request.mayBeDraft, let draft = try? request.draft(work: .unlimited) {
        derivedCount += 1
        messages += session.supply(draft, for: request)
        continue
      }
      if request.derivation == nil { preparedCount += 1 } else { derivedCount += 1 }
      let number = UInt64(preparedCount + derivedCount)
      messages += session.supply(
        request.prepare(),
        for: request,
        identity: session.isShared ? number : nil
      )
    }
  }

  /// Sends an event and takes what follows from it.
  mutating func send(
    _ event: SessionEvent,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    messages = []
    post(event, sourceLocation: sourceLocation)
    settle(sourceLocation: sourceLocation)
  }

  /// Sends an event and leaves it at that.
  mutating func post(
    _ event: SessionEvent,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    do {
      messages += try session.receive(event, seq: session.lastEvent + 1, at: now)
    } catch {
      Issue.record("\(error)", sourceLocation: sourceLocation)
    }
  }

  /// The next frame, which the client gets only where the test says so.
  mutating func take(sourceLocation: SourceLocation = #_sourceLocation) throws -> SessionFrame {
    let frame = session.nextFrame(at: now)
    return try #require(frame, sourceLocation: sourceLocation)
  }

  mutating func scroll(
    to y: Double,
    x: Double = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    client.scroll(to: Point(x: x, y: y))
    send(
      .viewport(ViewportChange(observedFrame: client.lastApplied, offset: Point(x: x, y: y))),
      sourceLocation: sourceLocation
    )
  }

  mutating func update(
    _ operations: [UpdateOperation],
    animated: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    send(.update(UpdateBatch(operations, isAnimated: animated)), sourceLocation: sourceLocation)
    #expect(problem == nil, sourceLocation: sourceLocation)
  }

  /// Measures items of section 0.
  mutating func measure(
    _ sizes: [(item: Int, size: Size)],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    measure(
      sizes.map { (ElementKey.cell(0, $0.item), $0.size) },
      sourceLocation: sourceLocation
    )
  }

  /// Measures elements that the client has.
  mutating func measure(
    _ sizes: [(key: ElementKey, size: Size)],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let known = Dictionary(client.slots.map { ($1.key, $0) }) { $1 }
    let slots = sizes.compactMap { known[$0.key] }
    #expect(slots.count == sizes.count, sourceLocation: sourceLocation)
    send(
      .measurements(
        MeasurementReport(
          observedFrame: client.lastApplied,
          slots: slots,
          sizes: sizes.map(\.size)
        )
      ),
      sourceLocation: sourceLocation
    )
    #expect(problem == nil, sourceLocation: sourceLocation)
  }

  // MARK: - What came of it

  var problem: Refusal? {
    for case .eventResult(let result) in messages where result.problem != nil {
      return result.problem
    }
    return nil
  }

  var results: [EventResult] {
    messages.compactMap { if case .eventResult(let result) = $0 { result } else { nil } }
  }

  /// Over all frames of the last step.
  var adjustment: Point { frames.reduce(.zero) { $0 + $1.offsetAdjustment } }

  var upsertCount: Int { frames.reduce(0) { $0 + $1.upserts.count } }

  /// The appearing elements of the last step's transitions.
  var appearing: [ElementKey: LayoutAttributes] { transitions(\.appearing) }

  var disappearing: [ElementKey: LayoutAttributes] { transitions(\.disappearing) }

  private func transitions(
    _ list: KeyPath<FrameTransition, [FrameElement]>
  ) -> [ElementKey: LayoutAttributes] {
    var result: [ElementKey: LayoutAttributes] = [:]
    for frame in frames {
      for element in frame.transition?[keyPath: list] ?? [] {
        result[frame.key(of: element)] = frame.attributes(of: element)
      }
    }
    return result
  }

  /// Compares the client's elements with those of a fresh query.
  func checkMirror(sourceLocation: SourceLocation = #_sourceLocation) {
    guard let query = session.query else { return }
    var buffer = ElementBuffer()
    let isSettled = session.capabilities.scrollEffects && !client.scrollEffects.isEmpty
    (isSettled ? query.prepared : query.shown).appendElements(
      in: client.coverage.widened(by: isSettled ? client.scrollEffects.reach : 0),
      viewport: query.viewport,
      to: &buffer
    )
    let kinds = query.prepared.kindNames
    var expected: [ElementKey: LayoutAttributes] = [:]
    for element in buffer.elements {
      let key = ElementKey(
        category: element.category,
        kind: kinds[Int(element.kind)],
        indexPath: element.indexPath
      )
      expected[key] = buffer.attributes(of: element)
    }
    var actual: [ElementKey: LayoutAttributes] = [:]
    for element in client.slots.values { actual[element.key] = element.attributes }
    #expect(actual == expected, sourceLocation: sourceLocation)
    #expect(client.contentSize == query.prepared.contentSize, sourceLocation: sourceLocation)
    for element in client.slots.values where element.key.category == .cell {
      #expect(
        element.itemKey == query.prepared.context.contents.key(at: element.key.indexPath) ?? "",
        sourceLocation: sourceLocation
      )
      let data = query.prepared.context.contents.data(at: element.key.indexPath)
      let told = session.capabilities.itemData ? data : ""
      #expect(element.itemData == told, sourceLocation: sourceLocation)
    }
  }
}

extension ViewportSession {
  /// The collection's own contents, whatever the session sees of them.
  var baseContents: CollectionContents? { contents.base }
}

extension CollectionContents {
  /// Sections of items without sizes, with keys "a0", "a1", … "b0", …
  static func keyed(_ counts: Int...) -> CollectionContents {
    CollectionContents(
      sections: counts.enumerated().map { index, count in
        let letter = String(UnicodeScalar(UInt8(97 + index)))
        return SectionContents(
          key: letter,
          blocks: [ItemBlock(count: count, keys: (0 ..< count).map { "\(letter)\($0)" })]
        )
      }
    )
  }
}

extension UpdateOperation {
  static func insert(_ keys: String..., at item: Int, section: Int = 0) -> UpdateOperation {
    .insertItems(
      at: IndexPath(section: section, item: item),
      items: [ItemBlock(count: keys.count, keys: keys)]
    )
  }

  static func delete(_ items: Range<Int>, section: Int = 0) -> UpdateOperation {
    .deleteItems(section: section, items: items)
  }

  static func move(_ from: Int, to: Int, section: Int = 0) -> UpdateOperation {
    .moveItem(
      from: IndexPath(section: section, item: from),
      to: IndexPath(section: section, item: to)
    )
  }
}
