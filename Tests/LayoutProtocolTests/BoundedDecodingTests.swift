// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import GRPCCore
import LayoutGeometry
import SwiftProtobuf
import Testing

@testable import LayoutProtocol
@testable import LayoutSession

@Suite("What a request may hold", .timeLimit(.minutes(1)))
struct BoundedDecodingTests {
  /// A field of bytes around others.
  private static func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
    var length: [UInt8] = []
    var rest = content.count
    repeat {
      length.append(UInt8(rest & 0x7f) | (rest >= 0x80 ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
    return [number << 3 | 2] + length + content
  }

  private static func problem(_ bytes: [UInt8]) -> LayoutProblem? {
    do {
      _ = try StreamRequest(decoding: bytes.span.bytes)
      return nil
    } catch { return error as? LayoutProblem }
  }

  @Test("every type of a served method is known, with fields that are counted")
  func shapes() throws {
    let shapes = MessageShapes.standard
    let types: [any Message.Type] = [
      Wire.StreamLayoutRequest.self, Wire.UpdateBatch.self, Wire.CollectionContents.self,
      Wire.LayoutSpec.self, Google_Protobuf_Struct.self, Google_Protobuf_Value.self,
    ]
    for type in types { #expect(shapes.index(of: type) != nil) }
    let request = try #require(shapes.index(of: Wire.StreamLayoutRequest.self))
    guard case .messages(let open) = shapes.content(of: 3, in: request) else {
      Issue.record("the opening is not known")
      return
    }
    #expect(shapes.shapes[open].name == Wire.OpenSession.protoMessageName)
    for field in [1, 63, .max] as [UInt64] {
      guard case .others = shapes.content(of: field, in: request) else {
        Issue.record("field \(field) is looked at")
        continue
      }
    }
    #expect(shapes.customValue >= 0)
    for shape in shapes.shapes where !shape.name.hasPrefix("google.protobuf.") {
      #expect(shape.fields.keys.allSatisfy { $0 < MessageShapes.fieldCount })
    }
  }

  @Test("a million empty blocks are refused before anything is made of them")
  func blocks() {
    let blocks = Array(repeating: Self.field(2, []), count: 1_000_000).flatMap(\.self)
    let request = Self.field(3, Self.field(2, Self.field(1, blocks)))
    #expect(request.count < 4 << 20)
    let problem = Self.problem(request)
    #expect(problem?.reason == .fieldInvalid)
    #expect(problem?.violations.first?.field == "open.inline_contents.sections.blocks")
    #expect(problem?.violations.first?.description.contains("300000") == true)
  }

  @Test("as many one-item blocks as are allowed are read in linear time")
  func manyBlocks() throws {
    let message = Wire.StreamLayoutRequest.with {
      $0.open.inlineContents.sections = [
        .with { $0.blocks = Array(repeating: .with { $0.count = 1 }, count: 290_000) }
      ]
      $0.open.layout.list = .init()
    }
    let bytes: [UInt8] = try message.serializedBytes()
    let request = try StreamRequest(decoding: bytes.span.bytes)
    guard case .contents(let contents) = try request.message.open.decoded(by: .init()).source else {
      Issue.record("the request opens something else")
      return
    }
    #expect(contents.itemCount == 290_000)
  }

  @Test("custom values are limited in number, in one object and in one request, and in depth")
  func customValues() throws {
    func request(_ custom: Google_Protobuf_Struct) throws -> [UInt8] {
      try Wire.StreamLayoutRequest.with {
        $0.eventSeq = 2
        $0.layout.layout.list = .init()
        $0.layout.layout.sectionBackgrounds = [.with { $0.custom = custom }]
      }.serializedBytes()
    }
    func wide(_ count: Int) -> Google_Protobuf_Struct {
      .with {
        $0.fields["list"] = .with { $0.listValue.values = Array(repeating: .init(), count: count) }
      }
    }
    let decoding = Self.problem(try request(wide(20_001)))
    #expect(decoding?.reason == .fieldInvalid)
    #expect(
      decoding?.violations.first?.field.hasPrefix("layout.layout.section_backgrounds.custom")
        == true
    )

    func violation(_ custom: Google_Protobuf_Struct) throws -> FieldViolation? {
      let bytes = try request(custom)
      let message = try StreamRequest(decoding: bytes.span.bytes).message
      do throws(LayoutProblem) {
        _ = try message.sessionEvent(by: .init())
        return nil
      } catch { return error.violations.first }
    }
    #expect(try violation(wide(255)) == nil)
    let many = try #require(try violation(wide(256)))
    #expect(many.field == "layout.section_backgrounds[0].custom")
    #expect(many.description.contains("256 values"))
    let long = Google_Protobuf_Struct.with {
      $0.fields["text"] = .with { $0.stringValue = String(repeating: "x", count: 17 << 10) }
    }
    #expect(try violation(long)?.description.contains("16384 bytes") == true)
  }

  @Test("a field of one message is set once, wherever it is")
  func setTwice() throws {
    // A choice that is set again would be copied and merged each time.
    let twice = Self.field(7, []) + Self.field(7, [])
    let problem = Self.problem([8, 2] + twice)
    #expect(problem?.reason == .fieldInvalid)
    #expect(problem?.violations.first?.field == "measurements")
    #expect(problem?.violations.first?.description == "is set twice; it may be set once")

    let point = Self.field(2, [9] + Array(repeating: 0, count: 8))
    let nested = Self.problem([8, 2] + Self.field(4, point + point))
    #expect(nested?.violations.first?.field == "viewport.content_offset")
    #expect(Self.problem([8, 2] + Self.field(7, [])) == nil)

    // Lists are set as often as they have entries.
    let value = Self.field(6, Self.field(1, []) + Self.field(1, []))
    #expect(Self.decodingProblem(value, as: Google_Protobuf_Value.self) == nil)
    #expect(Self.decodingProblem(value + value, as: Google_Protobuf_Value.self) != nil)
  }

  private static func decodingProblem<Output: Message>(
    _ bytes: [UInt8],
    as type: Output.Type
  ) -> LayoutProblem? {
    do {
      _ = try BoundedDecoding.decode(bytes.span.bytes, as: type)
      return nil
    } catch { return error as? LayoutProblem }
  }

  @Test("bytes that are no message are told in words")
  func faults() {
    typealias Request = CollectionLayout_V1_GetCollectionRequest
    let bytes: [(bytes: [UInt8], text: String)] = [
      ([0xff, 0xff, 0xff], "not fields of protobuf"), ([0x0a, 5, 0x61], "end within a field"),
      ([0x0a, 2, 0xff, 0xfe], "not UTF-8"),
      (Array(repeating: 0x0b, count: 200), "more than 100 deep"),
    ]
    for (bytes, text) in bytes {
      let message = Self.decodingProblem(bytes, as: Request.self)?.message
      #expect(message?.contains(text) == true, "\(message ?? "")")
    }
  }

  @Test("a list of numbers has few pieces, packed or as single numbers")
  func pieces() {
    func problem(_ pieces: Int) -> LayoutProblem? {
      let piece = Self.field(4, [1])
      return Self.decodingProblem(
        Array(repeating: piece, count: pieces).flatMap(\.self),
        as: Wire.PlacedElements.self
      )
    }
    #expect(problem(1) == nil)
    #expect(problem(17) == nil)
    let many = problem(18)
    #expect(many?.reason == .fieldInvalid)
    #expect(many?.violations.first?.field == "sections")
    #expect(many?.violations.first?.description.contains("16 are allowed") == true)
    // Not packed, they are appended one by one.
    let single: [UInt8] = Array(repeating: [4 << 3, 1], count: 1000).flatMap(\.self)
    #expect(Self.decodingProblem(single, as: Wire.PlacedElements.self) == nil)
  }

  @Test("the memory of a decoded request includes its texts and numbers")
  func decodedSize() throws {
    func size(_ message: some Message) throws -> (encoded: Int, decoded: Int) {
      let bytes: [UInt8] = try message.serializedBytes()
      return (
        bytes.count,
        BoundedDecoding.decodedByteCount(bytes.span.bytes, as: type(of: message))
      )
    }
    let texts = try size(
      Wire.ItemBlock.with {
        $0.keys = Array(repeating: String(repeating: "k", count: 20), count: 100)
      }
    )
    #expect(texts.decoded == texts.encoded + 320 + 100 * (32 + 48 + 20))
    let numbers = try size(
      Wire.PlacedElements.with {
        $0.sections = Array(repeating: 300, count: 50)
        $0.categories = Array(repeating: .cell, count: 10)
        $0.xs = Array(repeating: 1, count: 10)
      }
    )
    #expect(numbers.decoded == numbers.encoded + 320 + 50 * 4 + 10 * 16)
  }

  @Test("fields that are not known are dropped, wherever they are")
  func unknownFields() throws {
    // No message here has a field 15.
    let unknown = Self.field(15, Array(repeating: 7, count: 100))
    let layout = Self.field(1, []) + unknown
    let change = Self.field(6, Self.field(1, layout) + unknown)
    let bytes = [8, 2] + change
    let message = try StreamRequest(decoding: bytes.span.bytes).message
    let again: [UInt8] = try message.serializedBytes()
    #expect(message.layout.layout.kind == .flow(.init()))
    #expect(again == [8, 2] + Self.field(6, Self.field(1, Self.field(1, []))))
  }

  @Test("what is no request is refused", arguments: [[0xff], [0x1a, 0x7f], [0x1a, 0x01, 0x0a]])
  func malformed(bytes: [UInt8]) {
    let problem = Self.problem(bytes)
    #expect(problem?.code == .invalidArgument)
    #expect(problem?.message.contains("StreamLayoutRequest") == true)
  }

  @Test("messages that nest too deep are refused by their field")
  func nesting() throws {
    var value = Google_Protobuf_Value()
    for _ in 0 ..< 60 {
      let inner = value
      value = .with { $0.listValue.values = [inner] }
    }
    let message = Wire.StreamLayoutRequest.with {
      $0.eventSeq = 2
      $0.layout.layout.sectionBackgrounds = [.with { $0.custom.fields["deep"] = value }]
    }
    let problem = Self.problem(try message.serializedBytes())
    #expect(problem?.violations.first?.description.contains("nest deeper than 100") == true)
    #expect(
      problem?.violations.first?.field.hasPrefix("layout.layout.section_backgrounds.custom") == true
    )
  }

  // MARK: - Frames

  private static func frame(_ rect: Rect, alpha: Double) -> SessionFrame {
    SessionFrame(
      sequence: 1,
      baseSequence: 0,
      dataVersion: 1,
      layoutVersion: 1,
      appliedEvent: 1,
      mergedEvents: 0,
      contentSize: .zero,
      coverage: .zero,
      offsetAdjustment: .zero,
      scrollSensitivity: .coverage,
      upserts: [
        FrameElement(
          element: LayoutElement(
            category: .cell,
            kind: 0,
            indexPath: IndexPath(section: 0, item: 0),
            frame: rect,
            alpha: alpha
          ),
          slot: 0,
          previousPath: IndexPath(section: 0, item: 0)
        )
      ],
      keys: [],
      removedSlots: [],
      extras: [],
      kindNames: [""],
      liveCount: 1,
      stateChecksum: nil
    )
  }

  @Test(
    "frames beyond all measure are encoded, not trapped on",
    arguments: [ElementEncoding.messages, .packed]
  )
  func enormousFrames(encoding: ElementEncoding) throws {
    let edge = 0x1p62
    for rect in [
      Rect(x: -edge, y: -edge, width: 2 * edge, height: 2 * edge),
      Rect(x: -.greatestFiniteMagnitude, y: 0, width: .infinity, height: 1),
      Rect(x: .nan, y: .nan, width: .nan, height: .nan),
    ] {
      for alpha in [1.0, Double.nan, -Double.infinity, Double.infinity] {
        var encoder = FrameEncoder(capabilities: ClientCapabilities(encoding: encoding))
        #expect(try encoder.encode(Self.frame(rect, alpha: alpha)).count == 1)
      }
    }
  }
}
