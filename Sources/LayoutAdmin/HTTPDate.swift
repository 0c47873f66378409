// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Dates as HTTP has them: "Sun, 06 Nov 1994 08:49:37 GMT".
enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  static var now: String { text(of: Date()) }

  /// - Parameter date: after 1970.
  static func text(of date: Date) -> String {
    // "1994-11-06T08:49:37Z"
    let text = date.formatted(.iso8601)
    let (year, day) = (text.prefix(4), text.dropFirst(8).prefix(2))
    let month = Int(text.dropFirst(5).prefix(2)).map { $0 - 1 } ?? 0
    // The first day of 1970 was a Thursday.
    let weekday = Int(date.timeIntervalSince1970 / 86_400) % days.count
    let name = months.indices.contains(month) ? months[month] : months[0]
    let dayName = days.indices.contains(weekday) ? days[weekday] : days[0]
    return "\(dayName), \(day) \(name) \(year) \(text.dropFirst(11).prefix(8)) GMT"
  }
}
