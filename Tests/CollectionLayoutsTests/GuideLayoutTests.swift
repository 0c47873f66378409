// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import Foundation
import LayoutGeometry
import Testing

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
    let rect = Rect(x: 0, y: 50.5, width: 320, height: 9)
    var buffer = ElementBuffer()
    prepared.appendElements(in: rect, viewport: viewport, to: &buffer)
    // Between two lines: the corners of both reach into it.
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
    let here = URL(filePath: #filePath).deletingLastPathComponent()
    let root = here.deletingLastPathComponent().deletingLastPathComponent()
    let file = try String(contentsOf: here.appending(path: "GuideLayout.swift"), encoding: .utf8)
    let guide = try String(
      contentsOf: root.appending(path: "Documentation/guides/own-layout.md"),
      encoding: .utf8
    )
    let code = try #require(file.components(separatedBy: "own-layout.md\n\n").last)
    #expect(guide.contains(code.trimmingCharacters(in: .newlines)))
  }
}
