// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import LayoutGeometry

extension CalendarWeekLayout: CustomCollectionLayout {
  public static let name = "calendar_week"

  public var parameters: [String: CustomValue] {
    var parameters: [String: CustomValue] = [
      "first_hour": .number(Double(firstHour)),
      "last_hour": .number(Double(lastHour)),
      "hour_height": .number(hourHeight),
      "header_height": .number(headerHeight),
      "ruler_width": .number(rulerWidth),
      "event_spacing": .number(eventSpacing),
    ]
    if let hours = workingHours {
      parameters["working_hours"] = .object(["from": .number(hours.from), "to": .number(hours.to)])
    }
    return parameters
  }

  /// Reads what has the right type; `validate` says whether the values make sense.
  public init?(parameters: [String: CustomValue], findings: inout LayoutFindings) {
    self.init()
    var reader = ParameterReader(parameters)
    reader.read("first_hour", into: &firstHour)
    reader.read("last_hour", into: &lastHour)
    reader.read("hour_height", into: &hourHeight)
    reader.read("header_height", into: &headerHeight)
    reader.read("ruler_width", into: &rulerWidth)
    reader.read("event_spacing", into: &eventSpacing)
    reader.readObject("working_hours") { reader in
      var hours = WorkingHours(from: 9, to: 17)
      reader.read("from", into: &hours.from)
      reader.read("to", into: &hours.to)
      workingHours = hours
    }
    guard reader.finish(&findings) else { return nil }
  }

  public func validate(viewportSize: Size?, findings: inout LayoutFindings) {
    if !(0 ... 23).contains(firstHour) {
      findings.reject("first_hour", "is \(firstHour); must be within 0…23")
    }
    if lastHour <= firstHour || lastHour > 24 {
      findings.reject("last_hour", "is \(lastHour); must be later than first_hour, at most 24")
    }
    if !(hourHeight > 0 && hourHeight <= Self.longest) {
      findings.reject("hour_height", "is \(hourHeight); must be greater than 0, at most 1e6")
    }
    for (field, length) in [
      ("header_height", headerHeight), ("ruler_width", rulerWidth), ("event_spacing", eventSpacing),
    ] where !(0 ... Self.longest).contains(length) {
      findings.reject(field, "is \(length); must be within 0…1e6")
    }
    if let hours = workingHours {
      if !(0 ... 24).contains(hours.from) {
        findings.reject("working_hours.from", "is \(hours.from); must be within 0…24")
      }
      if !(hours.to > hours.from && hours.to <= 24) {
        findings.reject("working_hours.to", "is \(hours.to); must be later than from, at most 24")
      }
    }
    if let viewportSize, rulerWidth >= viewportSize.width {
      findings.warn("ruler_width", "is \(rulerWidth) and leaves no room for the days")
    }
  }

  private static let longest = 1e6
}
