// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import Foundation
import LayoutGeometry
import Testing

// What follows up to the next such line is the code of Documentation/guides/own-layout.md.
// MARK: - The guide

/// A flow whose cells are turned, every other one the other way.
public struct TiltedFlowLayout: CustomCollectionLayout {
  public static let name = "tilted_flow"

  /// In radians, at most 1.
  public var angle = 0.05
  private let flow = FlowLayout()

  public init() {}

  public init?(parameters: [String: CustomValue], findings: inout LayoutFindings) {
    for (name, value) in parameters {
      if name == "angle", case .number(let angle) = value, angle.magnitude <= 1 {
        self.angle = angle
      } else {
        findings.reject(name, "only angle is known, a number from -1 to 1")
      }
    }
    if !findings.violations.isEmpty { return nil }
  }

  public var parameters: [String: CustomValue] { ["angle": .number(angle)] }

  public func prepare(_ context: LayoutContext) -> any PreparedLayout {
    TiltedFlow(flow: flow.prepare(context), angle: angle)
  }
}

/// What the flow answers, with its cells turned.
private struct TiltedFlow: PreparedLayout {
  let flow: any PreparedLayout
  let angle: Double

  var context: LayoutContext { flow.context }
  var contentSize: Size { flow.contentSize }
  var kindNames: [String] { flow.kindNames }
  var scrollAxis: ScrollAxis? { flow.scrollAxis }
  var byteCount: Int { flow.byteCount }

  func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {
    // A turned cell reaches beyond its frame, by less than a viewport.
    var found = buffer.emptied()
    flow.appendElements(in: rect.widened(by: 200), viewport: viewport, to: &found)
    buffer.endIfCutShort(found)
    for element in found.elements where !buffer.isCutShort {
      let attributes = turned(found.attributes(of: element), at: element.indexPath)
      guard attributes.boundingBox.meets(rect) else { continue }
      buffer.append(
        attributes,
        category: element.category,
        kind: element.kind,
        indexPath: element.indexPath
      )
    }
  }

  func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? {
    flow.attributes(of: key, viewport: viewport).map { turned($0, at: key.indexPath) }
  }

  private func turned(_ attributes: LayoutAttributes, at path: IndexPath) -> LayoutAttributes {
    guard let item = path.item else { return attributes }
    var attributes = attributes
    attributes.transform = .rotation(item.isMultiple(of: 2) ? angle : -angle)
    return attributes
  }
}

// MARK: - Tests

@Suite("The layout of the guide", .timeLimit(.minutes(1)))
struct GuideLayoutTests {
  private let prepared: any PreparedLayout = {
    let contents = CollectionContents(sections: [SectionContents(blocks: [ItemBlock(count: 200)])])
    let container = LayoutContainer(size: Size(width: 320, height: 480))
    return TiltedFlowLayout().prepare(LayoutContext(contents: contents, container: container))
  }()

  @Test("a rect has the elements whose turned boxes meet it, and each is found alone")
  func queries() {
    let viewport = Viewport(offset: .zero, size: Size(width: 320, height: 480))
    let rect = Rect(x: 0, y: 59, width: 320, height: 2)
    var buffer = ElementBuffer()
    prepared.appendElements(in: rect, viewport: viewport, to: &buffer)
    // The corners of the second line's cells reach up into the rect, beside the first line's.
    #expect(buffer.elements.count == 10)
    for element in buffer.elements {
      let key = ElementKey(category: .cell, kind: "", indexPath: element.indexPath)
      let found = prepared.attributes(of: key, viewport: viewport)
      #expect(found == buffer.attributes(of: element))
    }
  }

  @Test("parameters come back as they went, and unknown ones are refused")
  func parameters() {
    var layout = TiltedFlowLayout()
    layout.angle = 0.5
    var findings = LayoutFindings()
    let same = TiltedFlowLayout(parameters: layout.parameters, findings: &findings)
    #expect(same?.angle == 0.5)
    let none = TiltedFlowLayout(parameters: ["angel": .number(1)], findings: &findings)
    #expect(none == nil)
    #expect(findings.violations.map(\.field) == ["angel"])
  }

  @Test("the code is that of the guide")
  func text() throws {
    let here = URL(filePath: #filePath)
    let root = here.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = try String(contentsOf: here, encoding: .utf8)
    let guide = try String(
      contentsOf: root.appending(path: "Documentation/guides/own-layout.md"),
      encoding: .utf8
    )
    let code = file.components(separatedBy: "// MARK: - ")[1].dropFirst("The guide\n".count)
    #expect(guide.contains(code.trimmingCharacters(in: .newlines)))
  }
}
