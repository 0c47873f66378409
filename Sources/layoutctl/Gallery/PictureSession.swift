// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutClient
import LayoutGeometry
import LayoutProtocol
import LayoutSession

/// What a viewer does in a session before its picture is drawn.
struct PictureSession {
  var options = SessionOptions()
  /// Sent one after the other; the viewer sees the result of each before the next.
  var events: [SessionEvent] = []
  /// The items that the viewer holds in the end, by key.
  var heldKeys: Set<String> = []

  /// The viewer's elements at the end, with marks for what the server announced, and the offset.
  func elements(
    of picture: Picture,
    client: LayoutClient
  ) async throws -> (set: ElementSet, offset: Point, marks: [Mark]) {
    let viewer = try viewerConfiguration(picture)
    return try await client.view(viewer) { viewer in
      var (found, offset) = (Announced(), picture.offset)
      found.take(try await viewer.settle())
      for event in events {
        if case .viewport(let change) = event { offset = change.offset ?? offset }
        await viewer.send(event)
        found.take(try await viewer.settle())
      }
      let mirror = await viewer.mirror
      var set = ElementSet()
      set.contentSize = mirror.contentSize
      set.elements = mirror.elements.values.map {
        ShownElement(key: $0.key, attributes: $0.attributes, itemKey: $0.itemKey)
      }
      return (set, offset, marks(found, on: set.elements))
    }
  }

  private func viewerConfiguration(_ picture: Picture) throws -> ViewerConfiguration {
    let target = try picture.target()
    var reader = FieldReader()
    let contents = reader.contents(target.inlineContents, "contents", limits: ContentsLimits())
    try reader.finish()
    var configuration = ViewerConfiguration(
      source: .contents(contents),
      viewport: ViewportChange(
        offset: picture.offset,
        size: picture.viewport,
        traits: .init(displayScale: 1, isRightToLeft: picture.isRightToLeft)
      ),
      capabilities: ClientCapabilities(itemKeys: true),
      options: options
    )
    configuration.layoutMessage = target.layout
    return configuration
  }

  /// What the server has announced to a viewer besides frames.
  private struct Announced {
    /// In the order of urgency.
    var candidates: [PrefetchChange.Item] = []
    var seen: Set<ElementKey> = []

    mutating func take(_ arrivals: [LayoutViewer.Arrival]) {
      for arrival in arrivals {
        switch arrival {
        case .prefetch(let change):
          let gone = Set(change.shown + change.cancelled)
          candidates.removeAll { gone.contains($0.number) }
          candidates += change.items
        case .visibility(let change): seen.formUnion(change.began.map(\.key))
        default: break
        }
      }
    }
  }

  private func marks(_ announced: Announced, on elements: [ShownElement]) -> [Mark] {
    let numbers = Dictionary(
      announced.candidates.enumerated().map { ($1.key.indexPath, $0 + 1) },
      uniquingKeysWith: { first, _ in first }
    )
    return elements.compactMap { element in
      guard element.key.category == .cell else { return nil }
      let reason: Mark.Reason? =
        heldKeys.contains(element.itemKey) && !element.itemKey.isEmpty
        ? .held
        : announced.seen.contains(element.key)
          ? .seen : numbers[element.key.indexPath].map { .prefetched($0) }
      return reason.map { Mark(box: element.attributes.boundingBox, reason: $0) }
    }
  }
}
