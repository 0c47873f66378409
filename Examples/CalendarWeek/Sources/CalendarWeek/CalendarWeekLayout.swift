// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
internal import LayoutGeometry

/// The days of a calendar side by side, with hours running down and events where their time is.
///
/// A section is a day and an item an event: its `y` is the hour at which it starts (9.5 is half
/// past nine), its `height` how many hours it takes, 1 unless given. Events at the same time share
/// the width of their day. Events without a start, or outside of the hours shown, have no place.
///
/// Elements besides the cells: the header of each day (supplementary, pinned to the top), the
/// working hours of each day (decoration), and a line for each hour (decoration).
public struct CalendarWeekLayout: CollectionLayout {
  /// The first hour shown, 0…23.
  public var firstHour: Int
  /// Where the last hour shown ends: later than `firstHour`, at most 24.
  public var lastHour: Int
  /// In points.
  public var hourHeight: Double
  /// The height of the days' headers, in points; 0 = none.
  public var headerHeight: Double
  /// Room for the names of the hours before the first day, in points.
  public var rulerWidth: Double
  /// Between events that share a day's width, in points.
  public var eventSpacing: Double
  /// Marked by a decoration; nil = not at all.
  public var workingHours: WorkingHours?

  public struct WorkingHours: Hashable, Sendable {
    /// 0…24.
    public var from: Double
    /// Later than `from`, at most 24.
    public var to: Double

    public init(from: Double, to: Double) {
      self.from = from
      self.to = to
    }
  }

  public init(
    firstHour: Int = 0,
    lastHour: Int = 24,
    hourHeight: Double = 60,
    headerHeight: Double = 44,
    rulerWidth: Double = 56,
    eventSpacing: Double = 2,
    workingHours: WorkingHours? = nil
  ) {
    self.firstHour = firstHour
    self.lastHour = lastHour
    self.hourHeight = hourHeight
    self.headerHeight = headerHeight
    self.rulerWidth = rulerWidth
    self.eventSpacing = eventSpacing
    self.workingHours = workingHours
  }

  /// The kinds of its elements.
  public enum Kind {
    public static let day = "day"
    public static let workingHours = "working-hours"

    /// A line belongs to no item that it could be told apart by, so each hour has its own kind.
    public static func hour(_ hour: Int) -> String { "hour-\(hour)" }
  }
}

// MARK: - Preparing

extension CalendarWeekLayout {
  /// All but the width of the content can change without a new `prepare`.
  public func significantParts(of container: LayoutContainer) -> LayoutContainer {
    LayoutContainer(
      size: Size(width: container.contentSize.width, height: 0),
      displayScale: container.displayScale,
      isRightToLeft: container.isRightToLeft
    )
  }

  /// - Complexity: O(n log n) for n events.
  public func prepare(_ context: LayoutContext) -> any PreparedLayout {
    let contents = context.contents
    let days = (0 ..< contents.sectionCount).map { day(contents.section(at: $0)) }
    return PreparedCalendarWeek(layout: self, context: context, days: days)
  }

  /// Solves the days that changed and keeps the others.
  public func update(
    _ prepared: any PreparedLayout,
    by change: ContentsChange
  ) -> any PreparedLayout {
    var context = prepared.context
    context.contents = change.new
    guard let old = prepared as? PreparedCalendarWeek else { return prepare(context) }
    var days = old.days
    // From the last on, so that the old indices of those before stay right.
    for splice in change.sectionSplices.reversed() {
      days.replaceSubrange(
        splice.old,
        with: splice.new.map { day(change.new.section(at: $0)) }
      )
    }
    for section in change.changedSections where !section.itemSplices.isEmpty {
      days[section.newIndex] = day(change.new.section(at: section.newIndex))
    }
    return PreparedCalendarWeek(layout: self, context: context, days: days)
  }

  private func day(_ section: SectionContents) -> CalendarDay {
    CalendarDay(section, firstHour: Double(firstHour), lastHour: Double(lastHour))
  }
}
