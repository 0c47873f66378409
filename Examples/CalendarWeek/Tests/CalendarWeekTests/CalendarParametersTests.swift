// SPDX-License-Identifier: Apache-2.0

import CalendarWeek
import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@Suite("Parameters of a calendar week", .timeLimit(.minutes(2)))
struct CalendarParametersTests {
  private func faults(_ parameters: [String: CustomValue]) -> [String] {
    var findings = LayoutFindings()
    let layout = CalendarWeekLayout(parameters: parameters, findings: &findings)
    #expect((layout == nil) == !findings.violations.isEmpty)
    layout?.validate(viewportSize: nil, findings: &findings)
    return findings.violations.map(\.field)
  }

  @Test("a layout is made again from its own parameters")
  func roundTrip() {
    for layout in [
      CalendarWeekLayout(),
      CalendarWeekLayout(
        firstHour: 7,
        lastHour: 19,
        hourHeight: 48.5,
        headerHeight: 0,
        rulerWidth: 10,
        eventSpacing: 0,
        workingHours: .init(from: 8.5, to: 17)
      ),
    ] {
      var findings = LayoutFindings()
      #expect(CalendarWeekLayout(parameters: layout.parameters, findings: &findings) == layout)
      #expect(findings.violations.isEmpty)
    }
  }

  @Test("absent parameters have their defaults")
  func defaults() {
    var findings = LayoutFindings()
    #expect(CalendarWeekLayout(parameters: [:], findings: &findings) == CalendarWeekLayout())
  }

  @Test("wrong types, unknown names and values out of range are named, nested ones by their path")
  func refusals() {
    #expect(faults(["hour_height": .string("60")]) == ["hour_height"])
    #expect(faults(["hour_hieght": .number(60)]) == ["hour_hieght"])
    #expect(faults(["first_hour": .number(8.5)]) == ["first_hour"])
    #expect(faults(["first_hour": .number(24)]) == ["first_hour", "last_hour"])
    #expect(faults(["last_hour": .number(0)]) == ["last_hour"])
    #expect(faults(["hour_height": .number(0)]) == ["hour_height"])
    #expect(faults(["ruler_width": .number(-1)]) == ["ruler_width"])
    #expect(faults(["working_hours": .list([])]) == ["working_hours"])
    #expect(faults(["working_hours": .object(["to": .bool(true)])]) == ["working_hours.to"])
    #expect(faults(["working_hours": .object(["until": .null])]) == ["working_hours.until"])
    #expect(faults(["working_hours": .object(["from": .number(18)])]) == ["working_hours.to"])
  }

  @Test("a ruler as wide as the viewport is warned about")
  func warnings() {
    var findings = LayoutFindings()
    CalendarWeekLayout().validate(
      viewportSize: Size(width: 50, height: 50),
      findings: &findings
    )
    #expect(findings.violations.isEmpty)
    #expect(findings.warnings.map(\.field) == ["ruler_width"])
  }
}
