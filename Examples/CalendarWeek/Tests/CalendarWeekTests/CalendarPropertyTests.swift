// SPDX-License-Identifier: Apache-2.0

import CalendarWeek
import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@Suite("Calendar weeks at random", .timeLimit(.minutes(2)))
struct CalendarPropertyTests {
  private let layout = CalendarWeekLayout(
    firstHour: 6,
    lastHour: 22,
    workingHours: .init(from: 9, to: 17.5)
  )

  @Test("the elements in a rect are those of all that meet it, and each is found by its key")
  func queries() {
    var random = CalendarRandom(seed: 1)
    for round in 0 ..< 200 {
      let week = layout.prepared(random.week(), isRightToLeft: round.isMultiple(of: 2))
      let viewport = Viewport(
        offset: Point(x: 0, y: Double(random.below(800))),
        size: Size(width: 456, height: 300)
      )
      let all = week.elements(in: .everywhere, viewport)
      #expect(Set(all.map(\.key)).count == all.count)
      for element in all {
        #expect(week.attributes(of: element.key, viewport: viewport) == element.attributes)
      }
      for _ in 0 ..< 5 {
        let rect = random.rect(in: week.contentSize)
        let expected = all.filter { $0.attributes.frame.meets(rect) }
        #expect(week.elements(in: rect, viewport) == expected)
      }
    }
  }

  @Test("no two events of a day cover each other, and no group has more columns than it needs")
  func columns() {
    var random = CalendarRandom(seed: 2)
    for _ in 0 ..< 200 {
      let week = CalendarWeekLayout(eventSpacing: 0).prepared(
        CollectionContents(days: [random.events(random.below(30))])
      )
      let frames = week.elements(in: .everywhere, .atStart)
        .filter { $0.key.category == .cell }
        .map(\.attributes.frame)
      for (index, frame) in frames.enumerated() {
        for other in frames[..<index] {
          guard let common = frame.intersection(other) else { continue }
          // Thirds of a width do not add up exactly.
          #expect(common.width < 1e-9)
        }
        let group = Self.group(of: frame, in: frames)
        let most = group.map { member in
          group.count { $0.minY <= member.minY && $0.maxY > member.minY }
        }
        let columns = (400 / frame.width).rounded()
        #expect(columns == Double(most.max() ?? 1))
      }
    }
  }

  /// All that overlap a frame in time, if only through others.
  private static func group(of frame: Rect, in frames: [Rect]) -> [Rect] {
    var top = frame.minY
    var bottom = frame.maxY
    var group: [Rect] = []
    while true {
      let next = frames.filter { $0.minY < bottom && $0.maxY > top }
      guard next.count > group.count else { return group }
      group = next
      top = next.map(\.minY).min() ?? top
      bottom = next.map(\.maxY).max() ?? bottom
    }
  }

  @Test("an updated week is the week that would be prepared anew")
  func updates() throws {
    var random = CalendarRandom(seed: 3)
    for _ in 0 ..< 100 {
      var contents = CollectionContents(days: (0 ..< 5).map { _ in random.events(5) })
      var week = layout.prepared(contents)
      for _ in 0 ..< 5 {
        let day = random.below(contents.sectionCount)
        let count = contents.section(at: day).items.count
        let operation: UpdateOperation =
          switch random.below(4) {
          case 0 where count > 0: .deleteItems(section: day, items: 0 ..< 1)
          case 1: .insertSections(at: day, [SectionContents(blocks: [ItemBlock(random.events(3))])])
          case 2: .moveSection(from: day, to: random.below(contents.sectionCount))
          default:
            .insertItems(
              at: IndexPath(section: day, item: random.below(count + 1)),
              items: [ItemBlock(random.events(2))]
            )
          }
        let change = try contents.applying(UpdateBatch(change: .operations([operation])))
        contents = change.new
        week = layout.update(week, by: change)
        let fresh = layout.prepared(contents)
        #expect(week.contentSize == fresh.contentSize)
        #expect(
          week.elements(in: .everywhere, .atStart) == fresh.elements(in: .everywhere, .atStart)
        )
      }
    }
  }
}
