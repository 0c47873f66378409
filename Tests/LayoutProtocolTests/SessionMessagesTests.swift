// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutProtocol
import LayoutSession
import SwiftProtobuf
import Testing

@Suite("Session messages", .timeLimit(.minutes(2)))
struct SessionMessagesTests {
  private let rules = ReadingRules()

  private static let events: [SessionEvent] = [
    .viewport(
      ViewportChange(
        observedFrame: 4,
        offset: Point(x: 1, y: -2),
        size: Size(width: 320, height: 480),
        insets: EdgeInsets(top: 1, leading: 2, bottom: 3, trailing: 4),
        velocity: Point(x: 0, y: 900),
        sectionOffsets: [3: 40, 1: -2],
        traits: .init(displayScale: 3, isRightToLeft: true),
        safeAreaInsets: EdgeInsets(top: 5, leading: 6, bottom: 7, trailing: 8),
        layoutMargins: EdgeInsets(all: 9),
        readableContentWidth: 300
      )
    ),
    .viewport(ViewportChange()),
    .update(UpdateBatch([.deleteItems(section: 0, items: 1 ..< 3)], isAnimated: true)),
    .layout(LayoutChange(layout: LayoutConfiguration(GridLayout()), isAnimated: true)),
    .measurements(
      MeasurementReport(
        observedFrame: 9,
        slots: [4, 7],
        sizes: [Size(width: 1, height: 2), Size(width: 3, height: 4)]
      )
    ),
    .options(
      SessionOptions(
        maxInFlightFrames: 3,
        minFrameInterval: .milliseconds(33),
        overscanAhead: 0,
        overscanBehind: 2,
        anchorMode: .lastVisible,
        heartbeatInterval: .seconds(4),
        sizeChangeAnchor: .end,
        alignment: .center
      )
    ),
    .options(SessionOptions(anchorMode: AnchorMode.none)),
    .options(SessionOptions(sizeChangeAnchor: .start, alignment: .start)),
    .options(SessionOptions(alignment: .end)),
    .options(
      SessionOptions(
        prefetch: PrefetchOptions(maxItems: 30, distanceAhead: 2, distanceBehind: 0),
        visibility: VisibilityOptions(rules: [
          VisibilityRule(),
          VisibilityRule(
            threshold: 0.5,
            measure: .length,
            duration: .milliseconds(1500),
            isOnce: true,
            categories: [.supplementary, .cell],
            kinds: ["ad", ""]
          ),
        ])
      )
    ),
    .resync,
    .close(discard: true),
    .scrollTarget(
      .release(proposedOffset: Point(x: 1, y: 2), velocity: Point(x: 3, y: 4), section: 2)
    ),
    .scrollTarget(
      .release(
        proposedOffset: nil,
        velocity: Point(x: 3, y: 4),
        section: nil,
        deceleration: .fast
      )
    ),
    .scrollTarget(.release(proposedOffset: nil, velocity: .zero, section: 1)),
    .scrollTarget(.neighbor(of: .element(.cell(1, 2)), step: .pageDown, at: .end)),
    .scrollTarget(.neighbor(of: .item(key: "k"), step: .left, at: .nearest)),
    .scrollTarget(.neighbor(of: .point(Point(x: 1, y: 2)), step: .next, at: .start)),
    .scrollTarget(.neighbor(of: .nowhere, step: .last, at: .center)),
    .scrollTarget(.element(.cell(1, 2), at: .center)),
    .scrollTarget(.item(key: "k", at: .end)),
    .movement(.begin(IndexPath(section: 1, item: 0))),
    .movement(.position(Point(x: 5, y: 6))),
    .movement(.position(Point(x: 5, y: 6), wish: DropPreference(nests: true, level: 63))),
    .movement(.beginItems(.keys(["a", "b"]))),
    .movement(.beginItems(.paths([IndexPath(section: 1, item: 0)]))),
    .movement(.target(IndexPath(section: 2, item: 7), level: 1)),
    .movement(.target(IndexPath(section: 2, item: 0))),
    .movement(.rules(MovementRules())),
    .movement(
      .rules(
        MovementRules(
          fixedKinds: ["header"],
          fixedKeys: ["k"],
          mostItems: 4,
          staysInSection: true,
          targets: [
            .init(.index(1), kinds: ["card", ""], mostItems: 9), .init(.key("s")),
            .init(.layoutName("")),
          ]
        )
      )
    ),
    .movement(.end),
    .movement(.cancel),
    .transition(.begin(LayoutConfiguration(ListLayout()))),
    .transition(.progress(0.25)),
    .transition(.finish),
    .transition(.cancel),
    .invalidation([]),
    .invalidation([.supplementary("header", section: 2)]),
    .table(TableChange(isReset: true, order: [], isAnimated: true)),
    .table(
      TableChange(
        columns: [
          "a": TableColumnPreference(width: 0, isHidden: false, place: .scrolling),
          "b": TableColumnPreference(isHidden: true, place: .leading),
          "c": TableColumnPreference(width: 12.5, place: .trailing), "d": TableColumnPreference(),
        ],
        order: ["c", "a"]
      )
    ),
  ]

  @Test("every event survives the way to the wire and back", arguments: events.indices)
  func roundTrip(index: Int) throws {
    let ack = FrameAck(sequence: 8, stateChecksum: 0, isRejected: true)
    let message = try #require(
      Wire.StreamLayoutRequest(eventSequence: 7, Self.events[index], ack: ack)
    )
    let bytes: [UInt8] = try message.serializedBytes()
    let read = try Wire.StreamLayoutRequest(serializedBytes: bytes)
    let event = try #require(try read.sessionEvent(by: rules))
    #expect(Wire.StreamLayoutRequest(eventSequence: 7, event, ack: read.frameAck) == message)
    #expect(read.frameAck == ack)
  }

  @Test("a request without an event is an acknowledgement, or one that this version lacks")
  func noEvent() throws {
    let bare = Wire.StreamLayoutRequest.with { $0.ack.frameSeq = 3 }
    #expect(try bare.sessionEvent(by: rules) == nil)
    #expect(bare.frameAck == FrameAck(sequence: 3))
    let unknown = Wire.StreamLayoutRequest.with { $0.eventSeq = 3 }
    guard case .unsupported = try unknown.sessionEvent(by: rules) else {
      Issue.record("an unknown event must be told apart from none")
      return
    }
  }

  @Test(
    "a faulty field is named from the event on",
    arguments: [
      ("size.width", .with { $0.viewport.size.width = -1 }),
      ("content_offset.y", .with { $0.viewport.contentOffset.y = .nan }),
      ("velocity.x", .with { $0.viewport.velocity.x = .infinity }),
      ("content_insets.trailing", .with { $0.viewport.contentInsets.trailing = .nan }),
      ("safe_area_insets.top", .with { $0.viewport.safeAreaInsets.top = .infinity }),
      ("layout_margins.leading", .with { $0.viewport.layoutMargins.leading = .nan }),
      ("readable_content_width", .with { $0.viewport.readableContentWidth = -1 }),
      (
        "layout.compositional.sections[0].list.appearance",
        .with {
          $0.layout.layout.compositional.sections = [
            .with { $0.list.appearance = .UNRECOGNIZED(9) }
          ]
        }
      ),
      (
        "layout.compositional.sections[0].list.row_separators[1].separator.top_visibility",
        .with {
          $0.layout.layout.compositional.sections = [
            .with { section in
              section.list.rowSeparators = [
                .init(),
                .with {
                  $0.cellKind = "a"
                  $0.separator.topVisibility = .UNRECOGNIZED(9)
                },
              ]
            }
          ]
        }
      ),
      (
        "layout.compositional.sections[0].list.header_top_padding",
        .with {
          $0.layout.layout.compositional.sections = [.with { $0.list.headerTopPadding = -1 }]
        }
      ),
      (
        "layout.compositional.sections[0].content_insets",
        .with {
          $0.layout.layout.compositional.sections = [
            .with {
              $0.list.showsSeparators = false
              $0.contentInsets.top = 1
            }
          ]
        }
      ),
      (
        "layout.flow.section_inset_reference",
        .with { $0.layout.layout.flow.sectionInsetReference = .UNRECOGNIZED(9) }
      ),
      ("traits.display_scale", .with { $0.viewport.traits.displayScale = -2 }),
      (
        "section_offsets[1].offset",
        .with { $0.viewport.sectionOffsets = [.init(), .with { $0.offset = .nan }] }
      ),
      ("operations[0]", .with { $0.update.operations.operations = [.init()] }),
      ("layout.list.row_spacing", .with { $0.layout.layout.list.rowSpacing = .nan }),
      ("sizes", .with { $0.measurements.slots = [1, 2] }),
      (
        "sizes[0].height",
        .with {
          $0.measurements.slots = [1]
          $0.measurements.sizes = [.with { $0.height = -1 }]
        }
      ),
      ("overscan_ahead", .with { $0.options.overscanAhead = -1 }),
      ("anchor_mode", .with { $0.options.anchorMode = .UNRECOGNIZED(9) }),
      ("prefetch.max_items", .with { $0.options.prefetch.maxItems = 1001 }),
      ("prefetch.distance_ahead", .with { $0.options.prefetch.distanceAhead = -1 }),
      ("prefetch.distance_behind", .with { $0.options.prefetch.distanceBehind = .nan }),
      (
        "visibility.rules",
        .with { $0.options.visibility.rules = .init(repeating: .init(), count: 9) }
      ),
      (
        "visibility.rules[1].threshold",
        .with { $0.options.visibility.rules = [.init(), .with { $0.threshold = 1.1 }] }
      ),
      (
        "visibility.rules[0].measure",
        .with { $0.options.visibility.rules = [.with { $0.measure = .UNRECOGNIZED(3) }] }
      ),
      (
        "visibility.rules[0].duration",
        .with { $0.options.visibility.rules = [.with { $0.duration.seconds = -1 }] }
      ),
      (
        "visibility.rules[0].categories[1]",
        .with { $0.options.visibility.rules = [.with { $0.categories = [.cell, .unspecified] }] }
      ),
      (
        "visibility.rules[0].kinds",
        .with {
          $0.options.visibility.rules = [.with { $0.kinds = .init(repeating: "a", count: 17) }]
        }
      ),
      (
        "visibility.rules[0].kinds[0]",
        .with {
          $0.options.visibility.rules = [.with { $0.kinds = [.init(repeating: "a", count: 129)] }]
        }
      ),
      ("size_change_anchor", .with { $0.options.sizeChangeAnchor = .UNRECOGNIZED(3) }),
      ("alignment", .with { $0.options.alignment = .UNRECOGNIZED(4) }),
      ("min_frame_interval", .with { $0.options.minFrameInterval.seconds = -1 }),
      ("heartbeat_interval", .with { $0.options.heartbeatInterval.nanos = -1 }),
      ("request", .with { $0.scrollTarget = .init() }),
      ("release.velocity.x", .with { $0.scrollTarget.release.velocity.x = .nan }),
      ("element.element", .with { $0.scrollTarget.element = .init() }),
      ("element.key.category", .with { $0.scrollTarget.element.key = .init() }),
      (
        "element.position",
        .with {
          $0.scrollTarget.element.itemKey = "a"
          $0.scrollTarget.element.position = .UNRECOGNIZED(7)
        }
      ),
      ("step", .with { $0.movement = .init() }),
      ("begin.item", .with { $0.movement.begin = .init() }),
      ("position.x", .with { $0.movement.position.x = .nan }),
      ("begin_items.paths", .with { $0.movement.beginItems = .init() }),
      (
        "begin_items.paths[1].item",
        .with {
          $0.movement.beginItems.paths = [.with { $0.item = 1 }, .init()]
        }
      ),
      (
        "begin_items.keys",
        .with {
          $0.movement.beginItems = .with {
            $0.paths = [.with { $0.item = 1 }]
            $0.keys = ["a"]
          }
        }
      ),
      (
        "begin_items.keys",
        .with {
          $0.movement.beginItems.keys = Array(repeating: "a", count: 1001)
        }
      ),
      (
        "begin_items.keys[0]",
        .with {
          $0.movement.beginItems.keys = [String(repeating: "a", count: 129)]
        }
      ),
      (
        "begin_foreign.new_items.blocks",
        .with {
          $0.movement.beginForeign.newItems.blocks =
            [.with { $0.count = 1 }] + Array(repeating: .init(), count: 1000)
        }
      ),
      ("target.item", .with { $0.movement.target = .init() }),
      (
        "level",
        .with {
          $0.movement.position = .init()
          $0.movement.level = 64
        }
      ),
      ("rules.targets[0].section", .with { $0.movement.rules.targets = [.init()] }),
      (
        "rules.fixed_kinds",
        .with {
          $0.movement.rules.fixedKinds = Array(repeating: "a", count: 1001)
        }
      ),
      (
        "rules.targets[0].kinds",
        .with {
          $0.movement.rules.targets = [
            .with {
              $0.key = "s"
              $0.kinds = Array(repeating: "a", count: 1001)
            }
          ]
        }
      ),
      ("step", .with { $0.transition = .init() }),
      ("progress", .with { $0.transition.progress = .infinity }),
      ("begin.list.row_height", .with { $0.transition.begin.list.rowHeight = -1 }),
      ("elements[0].category", .with { $0.invalidation.elements = [.init()] }),
      ("columns[0].id", .with { $0.table.columns = [.init()] }),
      (
        "columns[0].width",
        .with {
          $0.table.columns = [
            .with {
              $0.id = "a"
              $0.width = -1
            }
          ]
        }
      ),
      (
        "columns[0].place",
        .with {
          $0.table.columns = [
            .with {
              $0.id = "a"
              $0.place = .UNRECOGNIZED(4)
            }
          ]
        }
      ),
      ("columns", .with { $0.table.columns = .init(repeating: .init(), count: 10_001) }),
      ("order.ids[1]", .with { $0.table.order.ids = ["a", ""] }),
    ] as [(String, Wire.StreamLayoutRequest)]
  )
  func violations(field: String, request: Wire.StreamLayoutRequest) throws {
    let problem = try #require(throws: LayoutProblem.self) {
      try request.sessionEvent(by: rules)
    }
    #expect(problem.reason == .fieldInvalid)
    #expect(problem.violations.map(\.field) == [field])
  }

  @Test("a layout change without a layout has no known kind")
  func noLayout() throws {
    let request = Wire.StreamLayoutRequest.with { $0.layout = .init() }
    let problem = try #require(throws: LayoutProblem.self) {
      try request.sessionEvent(by: rules)
    }
    #expect(problem.reason == .layoutKindUnknown)
    #expect(problem.violations.map(\.field) == ["layout"])
  }
}

@Suite("Starts of sessions", .timeLimit(.minutes(2)))
struct SessionStartTests {
  private let rules = ReadingRules()

  private func request(_ start: Wire.StartPlace) -> Wire.OpenSession {
    .with {
      $0.collection = "collections/a"
      $0.start = start
    }
  }

  @Test(
    "every start survives the way to the wire and back",
    arguments: [
      .element(.cell(1, 2, kind: "photo"), at: .center),
      .element(.supplementary("header", section: 3), at: .start),
      .item(key: "k", at: .end), .item(key: "", at: .nearest), .edge(.start), .edge(.end),
      .fraction(0), .fraction(0.25), .fraction(1),
    ] as [SessionStart]
  )
  func roundTrip(start: SessionStart) throws {
    let bytes: [UInt8] = try request(Wire.StartPlace(start)).serializedBytes()
    let read = try Wire.OpenSession(serializedBytes: bytes).decoded(by: rules)
    #expect(read.start == start)
  }

  @Test("without one a session begins at an offset")
  func none() throws {
    let message = Wire.OpenSession.with { $0.collection = "collections/a" }
    #expect(try message.decoded(by: rules).start == nil)
  }

  @Test(
    "a faulty start is named",
    arguments: [
      ("start.place", .init()),
      ("start.edge", .with { $0.edge = .unspecified }),
      ("start.edge", .with { $0.edge = .UNRECOGNIZED(3) }),
      ("start.fraction", .with { $0.fraction = .nan }),
      ("start.fraction", .with { $0.fraction = -0.1 }),
      ("start.fraction", .with { $0.fraction = 1.01 }),
      ("start.element.element", .with { $0.element = .init() }),
      ("start.element.key.category", .with { $0.element.key = .init() }),
      (
        "start.element.item_key",
        .with { $0.element.itemKey = String(repeating: "k", count: 129) }
      ),
      (
        "start.element.position",
        .with {
          $0.element.itemKey = "a"
          $0.element.position = .UNRECOGNIZED(7)
        }
      ),
    ] as [(String, Wire.StartPlace)]
  )
  func violations(field: String, start: Wire.StartPlace) throws {
    let problem = try #require(throws: LayoutProblem.self) {
      try request(start).decoded(by: rules)
    }
    #expect(problem.reason == .fieldInvalid)
    #expect(problem.violations.map(\.field) == [field])
  }

  @Test("a start and an offset exclude each other; the rest of the viewport does not")
  func bothPlaces() throws {
    var message = request(Wire.StartPlace(.edge(.end)))
    message.viewport.size.width = 100
    #expect(try message.decoded(by: rules).start == .edge(.end))
    message.viewport.contentOffset = .init()
    let problem = try #require(throws: LayoutProblem.self) { try message.decoded(by: rules) }
    #expect(problem.reason == .fieldInvalid)
    #expect(problem.violations.map(\.field) == ["start"])
  }
}

@Suite("Opening a session", .timeLimit(.minutes(2)))
struct OpenSessionTests {
  private let rules = ReadingRules()

  @Test("a request over a collection is read whole")
  func collection() throws {
    let message = Wire.OpenSession.with {
      $0.collection = "collections/a"
      $0.viewport.size = .with {
        $0.width = 320
        $0.height = 480
      }
      $0.options.maxInFlightFrames = 4
      $0.capabilities = .with {
        $0.encodings = [.UNRECOGNIZED(9), .packed, .messages]
        $0.unitsPerPoint = [100, 192]
        $0.animations = true
        $0.pinning = true
        $0.checksums = true
        $0.itemKeys = true
        $0.sectionKeys = true
        $0.sectionScrolling = true
      }
    }
    let request = try message.decoded(by: rules)
    guard case .collection("collections/a") = request.source else {
      Issue.record("wrong source")
      return
    }
    #expect(request.layout == nil)
    #expect(request.viewport.size == Size(width: 320, height: 480))
    #expect(request.options.maxInFlightFrames == 4)
    #expect(
      request.capabilities
        == ClientCapabilities(
          encoding: .packed,
          unitsPerPoint: 192,
          animations: true,
          pinning: true,
          checksums: true,
          itemKeys: true,
          sectionKeys: true,
          sectionScrolls: true,
          sectionScrolling: true
        )
    )
    #expect(request.maxMessageBytes == 4 << 20)
  }

  @Test("what a client does not offer is the default, and what it asks is kept within reason")
  func capabilities() throws {
    let none = Wire.ClientCapabilities()
    #expect(ClientCapabilities(none) == ClientCapabilities())
    #expect(Wire.ClientCapabilities.with { $0.maxMessageBytes = 1 }.grantedMessageBytes == 16 << 10)
    #expect(
      Wire.ClientCapabilities.with { $0.maxMessageBytes = .max }.grantedMessageBytes == 4 << 20
    )
    let offered = ClientCapabilities(
      encoding: .packed,
      unitsPerPoint: 192,
      animations: true,
      checksums: true
    )
    #expect(ClientCapabilities(Wire.ClientCapabilities(offered)) == offered)
  }

  @Test("private contents are read with their layout, and need one")
  func inline() throws {
    var message = Wire.OpenSession.with {
      $0.inlineContents.sections = [.with { $0.blocks = [.with { $0.count = 3 }] }]
      $0.layout.list = .init()
    }
    let request = try message.decoded(by: rules)
    guard case .contents(let contents) = request.source else {
      Issue.record("wrong source")
      return
    }
    #expect(contents.itemCount == 3)
    #expect(request.layout == LayoutConfiguration(ListLayout()))
    message.clearLayout()
    let problem = try #require(throws: LayoutProblem.self) { try message.decoded(by: rules) }
    #expect(problem.reason == .layoutKindUnknown)
  }

  @Test("a resume carries what the client still has")
  func resume() throws {
    let message = Wire.OpenSession.with {
      $0.resume = .with {
        $0.resumeToken.append(contentsOf: [1, 2, 3])
        $0.lastFrameSeq = 4
        $0.lastEventSeq = 5
        $0.stateChecksum = 0
        $0.liveCount = 6
      }
    }
    guard case .resume(let resume) = try message.decoded(by: rules).source else {
      Issue.record("wrong source")
      return
    }
    #expect(
      resume
        == ResumeRequest(
          resumeToken: [1, 2, 3],
          lastFrame: 4,
          stateChecksum: 0,
          liveCount: 6
        )
    )
  }

  @Test("all faults are told at once, from the request on")
  func violations() throws {
    let message = Wire.OpenSession.with {
      $0.viewport.size.width = -1
      $0.layout.flow.itemSize.height = .nan
      $0.options.overscanBehind = -1
    }
    let problem = try #require(throws: LayoutProblem.self) { try message.decoded(by: rules) }
    #expect(
      Set(problem.violations.map(\.field)) == [
        "source", "viewport.size.width", "layout.flow.item_size.height", "options.overscan_behind",
      ]
    )
  }

  @Test("private contents are named with their field")
  func inlineViolation() throws {
    let message = Wire.OpenSession.with {
      $0.inlineContents.sections = [
        .with {
          $0.blocks = [
            .with {
              $0.count = 2
              $0.keys = ["a", "a"]
            }
          ]
        }
      ]
      $0.layout.list = .init()
    }
    let problem = try #require(throws: LayoutProblem.self) { try message.decoded(by: rules) }
    #expect(problem.violations.map(\.field) == ["inline_contents.sections[0].blocks"])
  }

  @Test("the answer tells everything that was granted")
  func opened() throws {
    let opening = SessionOpening(
      session: "sessions/s",
      collection: "collections/c",
      incarnation: 5,
      outcome: .resumed,
      lastEvent: 6,
      dataVersion: 7,
      capabilities: ClientCapabilities(encoding: .packed, unitsPerPoint: 192),
      options: SessionOptions().granted,
      resumeToken: [9],
      resumeGrace: .seconds(60)
    )
    let message = Wire.SessionOpened(opening)
    #expect(message.session == "sessions/s")
    #expect(message.encoding == .packed)
    #expect(message.unitsPerPoint == 192)
    #expect(message.options.maxInFlightFrames == 2)
    #expect(message.options.heartbeatInterval.seconds == 15)
    #expect(message.resumeGrace.seconds == 60)
    #expect(Array(message.resumeToken) == [9])
    #expect(message.outcome == .resumed)
  }

  @Test("results, targets, heartbeats and notices carry their values")
  func answers() {
    let result = Wire.EventResult(
      EventResult(
        eventSequence: 3,
        problem: Refusal(.versionConflict, "no"),
        dataVersion: 4,
        isDuplicate: true
      )
    )
    #expect(result.problem.reason == "VERSION_CONFLICT")
    #expect(result.problem.code == 10)
    #expect(result.dataVersion == 4)
    #expect(result.duplicate)
    let target = Wire.ScrollTarget(
      eventSequence: 4,
      ScrollTarget(offset: Point(x: 1, y: 2), element: .cell(0, 9))
    )
    #expect(target.contentOffset.y == 2)
    #expect(target.key.indexPath.item == 9)
    let notice = Wire.Notice(
      .goingAway,
      reconnectDelay: .milliseconds(1500),
      problem: .serverDraining()
    )
    #expect(notice.reconnectDelay.seconds == 1)
    #expect(notice.reconnectDelay.nanos == 500_000_000)
    #expect(notice.problem.reason == "SERVER_DRAINING")
  }
}
