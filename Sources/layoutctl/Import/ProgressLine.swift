// SPDX-License-Identifier: Apache-2.0

/// Shows how much of something is done, once it takes more than a second: a progress bar on a
/// terminal, nothing elsewhere.
struct ProgressLine {
  private let title: String
  private let total: Int?
  private let isShown = Terminal.isErrorInteractive
  private let start = ContinuousClock.now
  private var shownPercent = -1
  private static let width = 30
  private static let patience = Duration.seconds(1)

  init(_ title: String, total: Int?) {
    self.title = title
    self.total = total
  }

  mutating func show(done: Int, note: @autoclosure () -> String) {
    guard isShown, let total, total > 0 else { return }
    let percent = min(100, Int(Double(done) / Double(total) * 100))
    guard percent != shownPercent, start.duration(to: .now) >= Self.patience else { return }
    shownPercent = percent
    Terminal.writeError("\r\(Self.bar(percent: percent)) \(title) \(note())\u{1B}[K")
  }

  func clear() {
    if shownPercent >= 0 { Terminal.writeError("\r\u{1B}[K") }
  }

  /// "[██████    ]  60 %"
  static func bar(percent: Int) -> String {
    let full = width * percent / 100
    let number = String(percent)
    return "[" + String(repeating: "█", count: full) + String(repeating: " ", count: width - full)
      + "] " + String(repeating: " ", count: max(0, 3 - number.count)) + number + " %"
  }
}
