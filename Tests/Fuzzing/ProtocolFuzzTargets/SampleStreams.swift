// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutProtocol
import SwiftProtobuf

/// Streams of requests and frames that make sense, as corpora begin with them.
package enum SampleStreams {
  /// Requests of one stream, as records.
  package static func session(
    using random: inout some RandomNumberGenerator
  ) throws -> [UInt8] {
    var requests = [opening(&random)]
    for seq in 2 ... 12 as ClosedRange<UInt64> {
      var request = event(&random)
      request.eventSeq = seq
      if Bool.random(using: &random) {
        request.ack.frameSeq = UInt64.random(in: 0 ... seq, using: &random)
      }
      if Int.random(in: 0 ..< 10, using: &random) == 0 { request.ack.rejected = true }
      requests.append(request)
    }
    return Records.join(try requests.map { try $0.serializedBytes() })
  }

  private static func number(_ random: inout some RandomNumberGenerator) -> Double {
    [0, 1, 17.25, 120, 999, 1e12, -40].randomElement(using: &random) ?? 0
  }

  private static func index(_ random: inout some RandomNumberGenerator) -> UInt32 {
    UInt32.random(in: 0 ..< 12, using: &random)
  }

  private static func opening(
    _ random: inout some RandomNumberGenerator
  ) -> Wire.StreamLayoutRequest {
    var open = Wire.OpenSession()
    if Bool.random(using: &random) {
      open.collection = "collections/a"
    } else {
      for section in 0 ..< 3 {
        var block = Wire.ItemBlock()
        block.count = UInt32.random(in: 0 ..< 40, using: &random)
        block.heights = [number(&random)].filter { $0 >= 0 }
        open.inlineContents.sections.append(
          .with {
            $0.key = "s\(section)"
            $0.blocks = [block]
          }
        )
      }
    }
    open.layout = layout(&random)
    open.viewport.size.width = 320
    open.viewport.size.height = 480
    open.options.maxInFlightFrames = UInt32.random(in: 0 ... 8, using: &random)
    if Bool.random(using: &random) { open.options.sizeChangeAnchor = .end }
    if Bool.random(using: &random) { open.options.alignment = .center }
    switch Int.random(in: 0 ..< 6, using: &random) {
    case 0: open.start.edge = .end
    case 1: open.start.fraction = 0.3
    case 2:
      open.start.element.key.category = .cell
      open.start.element.key.indexPath.item = index(&random)
    default: break
    }
    if Bool.random(using: &random) { open.capabilities.encodings = [.packed] }
    open.capabilities.animations = Bool.random(using: &random)
    open.capabilities.pinning = Bool.random(using: &random)
    open.capabilities.itemKeys = Bool.random(using: &random)
    return .with {
      $0.eventSeq = 1
      $0.open = open
    }
  }

  private static func layout(_ random: inout some RandomNumberGenerator) -> Wire.LayoutSpec {
    guard Int.random(in: 0 ..< 5, using: &random) == 0 else { return plainLayout(&random) }
    var spec = Wire.LayoutSpec()
    spec.responsive.animated = Bool.random(using: &random)
    for _ in 0 ..< 2 {
      var variant = Wire.LayoutVariant()
      variant.layout = plainLayout(&random)
      if Bool.random(using: &random) {
        variant.condition.belowWidth = 250
      } else {
        variant.condition.requiredTraits = ["tv"]
      }
      spec.responsive.variants.append(variant)
    }
    spec.responsive.otherwise = plainLayout(&random)
    return spec
  }

  private static func plainLayout(_ random: inout some RandomNumberGenerator) -> Wire.LayoutSpec {
    var spec = Wire.LayoutSpec()
    switch Int.random(in: 0 ..< 6, using: &random) {
    case 0:
      spec.list.rowHeight = 44
      spec.list.selfSizing = Bool.random(using: &random)
      spec.list.headerHeight = 20
      spec.list.headersPinToVisibleBounds = true
    case 1: spec.flow.minimumLineSpacing = 10
    case 2: spec.grid.itemSize.width = 50
    case 3:
      spec.waterfall.columnCount = 3
      spec.waterfall.columnSpacing = 5
    case 4: spec.line.zoomFactor = 0.5
    default: spec.carousel.spacing = 10
    }
    if Bool.random(using: &random) { spec.sectionBackgrounds = [.with { $0.kind = "card" }] }
    return spec
  }

  private static func event(
    _ random: inout some RandomNumberGenerator
  ) -> Wire.StreamLayoutRequest {
    var request = Wire.StreamLayoutRequest()
    switch Int.random(in: 0 ..< 13, using: &random) {
    case 0 ..< 4:
      request.viewport.contentOffset.y = number(&random)
      request.viewport.observedFrameSeq = UInt64.random(in: 0 ..< 4, using: &random)
      if Bool.random(using: &random) { request.viewport.size.width = 200 }
      if Bool.random(using: &random) {
        request.viewport.sectionOffsets = [.with { $0.offset = 30 }]
      }
      if Bool.random(using: &random) { request.viewport.traits.names = ["tv"] }
    case 4 ..< 7: request.update.operations.operations = [operation(&random), operation(&random)]
    case 7:
      request.layout.layout = layout(&random)
      request.layout.animated = true
    case 8:
      request.measurements.observedFrameSeq = 1
      request.measurements.slots = [0, 1, 2]
      request.measurements.sizes = Array(repeating: .with { $0.height = 70 }, count: 3)
    case 9:
      switch Int.random(in: 0 ..< 4, using: &random) {
      case 0: request.transition.begin = layout(&random)
      case 1: request.transition.progress = [0.5, -1, 2].randomElement(using: &random) ?? 0
      case 2: request.transition.finish = .init()
      default: request.transition.cancel = .init()
      }
    case 10:
      request.movement = movement(&random)
    case 11: request.scrollTarget = question(&random)
    default: request.resync = .init()
    }
    return request
  }

  private static func question(
    _ random: inout some RandomNumberGenerator
  ) -> Wire.ScrollTargetRequest {
    var question = Wire.ScrollTargetRequest()
    switch Int.random(in: 0 ..< 4, using: &random) {
    case 0: question.release.velocity.y = number(&random)
    case 1: question.element.key = cell(&random)
    case 2:
      question.neighbor.key = cell(&random)
      question.neighbor.step = [.up, .down, .right].randomElement(using: &random) ?? .next
    default:
      question.neighbor.point.y = number(&random)
      question.neighbor.step = [.next, .previous, .pageDown].randomElement(using: &random) ?? .last
    }
    return question
  }

  private static func cell(_ random: inout some RandomNumberGenerator) -> Wire.ElementKey {
    .with {
      $0.category = .cell
      $0.indexPath.item = index(&random)
    }
  }

  private static func movement(
    _ random: inout some RandomNumberGenerator
  ) -> Wire.InteractiveMovement {
    var movement = Wire.InteractiveMovement()
    switch Int.random(in: 0 ..< 7, using: &random) {
    case 0: movement.begin = .with { $0.item = index(&random) }
    case 1: movement.position = .with { $0.y = number(&random) }
    case 2:
      movement.beginItems.paths = (0 ..< 3).map { _ in .with { $0.item = index(&random) } }
    case 3: movement.target = .with { $0.item = index(&random) }
    case 4:
      movement.rules.targets = [.with { $0.index = index(&random) }]
      movement.rules.sameSection = Bool.random(using: &random)
    case 5: movement.end = .init()
    default: movement.cancel = .init()
    }
    movement.nest = Bool.random(using: &random)
    return movement
  }

  private static func operation(
    _ random: inout some RandomNumberGenerator
  ) -> Wire.UpdateOperation {
    var operation = Wire.UpdateOperation()
    switch Int.random(in: 0 ..< 4, using: &random) {
    case 0:
      operation.insertItems.at = .with { $0.item = index(&random) }
      operation.insertItems.blocks = [.with { $0.count = index(&random) }]
    case 1:
      operation.deleteItems.firstItem = index(&random)
      operation.deleteItems.itemCount = 2
    case 2:
      operation.moveItem.from = .with { $0.item = index(&random) }
      operation.moveItem.to = .with {
        $0.section = 1
        $0.item = index(&random)
      }
    default: operation.moveSection = .with { $0.to = 1 }
    }
    return operation
  }
}

extension SampleStreams {
  /// Frames of one stream, as records, in both encodings.
  package static func frames(
    using random: inout some RandomNumberGenerator
  ) throws -> [UInt8] {
    var frames: [Wire.LayoutFrame] = []
    for sequence in 1 ... 6 as ClosedRange<UInt64> {
      var frame = Wire.LayoutFrame()
      frame.frameSeq = sequence
      frame.baseFrameSeq = sequence == 1 ? 0 : sequence - 1
      let count = Int32.random(in: 1 ... 5, using: &random)
      if sequence == 1 || Bool.random(using: &random) {
        frame.packed.kindNames = ["", "header"]
        frame.packed.upsertCount = UInt32(count)
        frame.packed.slotRuns = count > 1 ? [0, 1, 1, count - 1] : []
        frame.packed.itemRuns = [1, count]
        frame.packed.ys = (0 ..< count).map { _ in 40 }
        frame.packed.widths = [640]
        frame.packed.heights = [640]
        frame.liveCount = UInt32(count)
      } else {
        frame.elements.upserts = [
          .with {
            $0.key.category = .cell
            $0.attributes.frame.height = 3
          }
        ]
        frame.liveCount = frames.last?.liveCount ?? 1
      }
      if sequence > 1, Bool.random(using: &random) {
        frame.packed.indexShiftRuns = [0, 1, 0, 2]
      }
      frames.append(frame)
    }
    return Records.join(try frames.map { try $0.serializedBytes() })
  }
}
