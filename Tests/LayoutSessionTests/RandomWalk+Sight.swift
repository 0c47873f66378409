// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession
import TestSupport
import Testing

extension RandomWalkTests.Walk {
  /// What elements become near the edges of the viewport; mostly nothing.
  mutating func effects() -> [ScrollEffect] {
    guard Int.random(in: 0 ..< 3, using: &random) == 0 else { return [] }
    return [
      ScrollEffect(
        axis: [nil, .vertical, .horizontal].randomElement(using: &random) ?? nil,
        leading: ScrollEffect.Edge(.init(alpha: 0.25, translation: Point(x: 30, y: -20))),
        trailing: Bool.random(using: &random) ? ScrollEffect.Edge(.init(scale: 0.5)) : nil,
        isDiscrete: Bool.random(using: &random)
      )
    ]
  }

  /// Asks where a step from one of the client's elements leads: to an element that is as the answer
  /// says once the client has scrolled there.
  mutating func askForNeighbor() throws {
    let slots = scene.client.slots.sorted { $0.key < $1.key }
    guard let origin = slots.randomElement(using: &random)?.value.key,
      let step = NeighborStep.allCases.randomElement(using: &random),
      let position = ScrollPosition.allCases.randomElement(using: &random)
    else { return }
    let query = try #require(scene.session.query)
    scene.messages = []
    scene.post(.scrollTarget(.neighbor(of: .element(origin), step: step, at: position)))
    var answer: ScrollTarget?
    for case .scrollTarget(_, let target) in scene.messages { answer = target }
    scene.messages = []
    let target = try #require(answer, "\(step) from \(origin)")
    guard let found = target.element else {
      #expect(target.offset == query.viewport.offset)
      return
    }
    #expect(found != origin || step == .first || step == .last)
    var viewport = query.viewport
    viewport.offset = target.offset
    if let offset = target.sectionOffset {
      viewport.sectionOffsets[found.indexPath.section] = offset
    }
    #expect(
      target.neighbor?.attributes == query.shown.attributes(of: found, viewport: viewport),
      "\(step) from \(origin) to \(found)"
    )
    let contents = query.prepared.context.contents
    #expect(target.neighbor?.itemKey == contents.key(at: found.indexPath) ?? "")
  }
}
