// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry
import LayoutSession

/// The steps of a scripted viewer.
struct ScrollScript: Equatable {
  enum Step: Equatable {
    /// Scrolls to this offset.
    case scroll(Point)
    /// Scrolls by this distance.
    case move(Point)
    /// Scrolls with a velocity in points per second that decays to zero within the given time. A
    /// single number applies to the axis on which the content overflows.
    case fling(Fling)
    case resize(Size)
    case wait(Duration)
    /// Scrolls through the whole content from start to end, by this fraction of the viewport at a
    /// time.
    case through(Double)
    case layout(LayoutArgument)
    /// Changes columns of a table for this viewer.
    case table(TableChange)
  }

  struct Fling: Equatable {
    /// One number, or one for each axis, in points per second.
    var velocity: [Double]
    var duration: Duration
  }

  static let help = """
    scroll X Y; move DX DY; fling V TIME (or VX VY TIME); resize WxH; wait TIME; through [PART]; \
    layout LAYOUT; column ID WIDTH (or hide, show, leading, trailing, scrolling); order ID,ID. \
    Times are like 2s or 500ms.
    """

  var steps: [Step]

  init(_ steps: [Step]) { self.steps = steps }

  /// Parses a script. Steps are separated by semicolons or line breaks; a # begins a comment.
  ///
  /// - Throws: `CommandFault` that names the faulty step.
  init(parsing text: String) throws(CommandFault) {
    steps = []
    for line in text.split(whereSeparator: \.isNewline) {
      let code = line.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)[0]
      for part in code.split(separator: ";") {
        let words = part.split(whereSeparator: \.isWhitespace).map(String.init)
        guard let verb = words.first else { continue }
        guard let step = Self.step(verb, Array(words.dropFirst())) else {
          throw CommandFault(
            "script, step \(steps.count + 1): \"\(words.joined(separator: " "))\" found; "
              + "allowed are \(Self.help)",
            status: .usage
          )
        }
        steps.append(step)
      }
    }
  }

  private static func step(_ verb: String, _ words: [String]) -> Step? {
    switch (verb, words.count) {
    case ("scroll", 2): return point(words).map { .scroll($0) }
    case ("move", 2): return point(words).map { .move($0) }
    case ("fling", 2 ... 3):
      guard let duration = duration(words[words.count - 1]),
        let velocity = numbers(Array(words.dropLast()))
      else { return nil }
      return .fling(Fling(velocity: velocity, duration: duration))
    case ("resize", 1): return Size(argument: words[0]).map { .resize($0) }
    case ("wait", 1): return duration(words[0]).map { .wait($0) }
    case ("through", 0): return .through(0.9)
    case ("through", 1):
      guard let part = numbers(words)?.first, part > 0, part <= 10 else { return nil }
      return .through(part)
    case ("layout", 1...): return .layout(LayoutArgument(words.joined(separator: " ")))
    case ("column", 2):
      return preference(words[1]).map { .table(TableChange(columns: [words[0]: $0])) }
    case ("order", 1):
      return .table(TableChange(order: words[0].split(separator: ",").map(String.init)))
    default: return nil
    }
  }

  private static func preference(_ word: String) -> TableColumnPreference? {
    switch word {
    case "hide": return TableColumnPreference(isHidden: true)
    case "show": return TableColumnPreference(isHidden: false)
    case "leading": return TableColumnPreference(place: .leading)
    case "trailing": return TableColumnPreference(place: .trailing)
    case "scrolling": return TableColumnPreference(place: .scrolling)
    default:
      guard let width = numbers([word])?.first, width >= 0 else { return nil }
      return TableColumnPreference(width: width)
    }
  }

  private static func point(_ words: [String]) -> Point? {
    numbers(words).map { Point(x: $0[0], y: $0[1]) }
  }

  private static func numbers(_ words: [String]) -> [Double]? {
    let numbers = words.compactMap { Double($0) }.filter(\.isFinite)
    return numbers.count == words.count ? numbers : nil
  }

  /// Parses "2s", "1.5s" or "500ms", at most an hour.
  static func duration(_ text: String) -> Duration? {
    let (digits, unit): (Substring, Double) =
      if text.hasSuffix("ms") {
        (text.dropLast(2), 0.001)
      } else if text.hasSuffix("s") {
        (text.dropLast(), 1)
      } else {
        ("", 0)
      }
    guard let number = Double(digits), number >= 0, number * unit <= 3600 else { return nil }
    return .seconds(number * unit)
  }
}
