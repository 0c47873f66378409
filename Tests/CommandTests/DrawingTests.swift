// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@testable import layoutctl

@Suite("LayoutDrawing", .timeLimit(.minutes(2)))
struct DrawingTests {
  private static func drawing(_ elements: [ShownElement]) -> String {
    LayoutDrawing(
      title: "A & <B>",
      elements: elements,
      contentSize: Size(width: 200, height: 400),
      area: Rect(x: 0, y: 0, width: 200, height: 400),
      viewport: Rect(x: 0, y: 0, width: 200, height: 100)
    ).svg
  }

  private static func cell(
    _ item: Int,
    transform: Transform = .identity,
    alpha: Double = 1,
    z: Int = 0,
    isHidden: Bool = false
  ) -> ShownElement {
    ShownElement(
      key: .cell(0, item),
      attributes: LayoutAttributes(
        frame: Rect(x: 10, y: 10 + 60 * Double(item), width: 80, height: 50),
        transform: transform,
        alpha: alpha,
        zIndex: z,
        isHidden: isHidden
      )
    )
  }

  private static func count(_ part: String, in text: String) -> Int {
    text.ranges(of: part).count
  }

  @Test("keys of sections label headers, and not those of a table's columns")
  func columnHeaders() {
    let elements = ["header", "title"].enumerated().map { place, kind in
      var element = ShownElement(
        key: .supplementary(kind, section: 0),
        attributes: LayoutAttributes(
          frame: Rect(x: 0, y: 30 * Double(place), width: 200, height: 20)
        )
      )
      element.sectionKey = "Blake"
      return element
    }
    let svg = LayoutDrawing(
      title: "",
      elements: elements,
      contentSize: Size(width: 200, height: 400),
      area: Rect(x: 0, y: 0, width: 200, height: 400),
      showsKeys: true
    ).svg
    #expect(Self.count(">Blake</text>", in: svg) == 1)
    #expect(svg.contains(">title 0</text>"))
  }

  @Test("draws each element once, the viewport and a legend, and closes every tag")
  func structure() {
    let header = ShownElement(
      key: .supplementary("header", section: 0),
      attributes: LayoutAttributes(frame: Rect(x: 0, y: 0, width: 200, height: 20))
    )
    let svg = Self.drawing([Self.cell(0), Self.cell(1), header])
    #expect(Self.count("class=\"cell\"", in: svg) == 2)
    #expect(Self.count("class=\"supplementary\"", in: svg) == 1)
    #expect(Self.count("class=\"viewport\"", in: svg) == 1)
    #expect(Self.count("class=\"legend\"", in: svg) == 1)
    #expect(svg.contains(">0.1</text>"))
    #expect(svg.contains(">header 0</text>"))
    #expect(svg.contains("A &amp; &lt;B&gt;"))
    for tag in ["g", "svg", "text", "defs", "clipPath", "title"] {
      let opened = Self.count("<\(tag)>", in: svg) + Self.count("<\(tag) ", in: svg)
      #expect(opened == Self.count("</\(tag)>", in: svg), "\(tag)")
    }
  }

  @Test("draws arrows from inside one box to inside another, over everything")
  func arrows() {
    let arrow = Arrow(
      from: Rect(x: 0, y: 0, width: 40, height: 20),
      to: Rect(x: 100, y: 0, width: 20, height: 20)
    )
    #expect(arrow.tail == Point(x: 30, y: 10))
    #expect(arrow.tip == Point(x: 105, y: 10))
    var drawing = LayoutDrawing(
      title: "",
      elements: [Self.cell(0)],
      contentSize: Size(width: 200, height: 400),
      area: Rect(x: 0, y: 0, width: 200, height: 400)
    )
    #expect(Self.count("class=\"arrow\"", in: drawing.svg) == 0)
    drawing.arrows = [arrow, Arrow(from: .zero, to: .zero)]
    let svg = drawing.svg
    #expect(Self.count("class=\"arrow\"", in: svg) == 1)
    #expect(!svg.contains("nan"))
  }

  @Test("leaves out hidden elements and counts them")
  func hidden() {
    let svg = Self.drawing([Self.cell(0), Self.cell(1, isHidden: true)])
    #expect(Self.count("class=\"cell\"", in: svg) == 1)
    #expect(svg.contains("1 elements drawn, 1 hidden"))
  }

  @Test("draws from back to front")
  func order() throws {
    let svg = Self.drawing([Self.cell(0, z: 5), Self.cell(1), Self.cell(2, z: -1)])
    let places = try ["0.2", "0.1", "0.0"].map { label in
      try #require(svg.firstRange(of: ">\(label)</text>")).lowerBound
    }
    #expect(places == places.sorted())
  }

  @Test("shows alpha as opacity and transforms as polygons")
  func attributes() {
    let svg = Self.drawing([Self.cell(0, transform: .rotation(0.5), alpha: 0.25), Self.cell(1)])
    #expect(Self.count("opacity=\"0.25\"", in: svg) == 1)
    #expect(Self.count("<polygon ", in: svg) == 1)
  }

  @Test("leaves out what lies behind the viewer")
  func behind() {
    let behind = Matrix4(rows: [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, -1])
    #expect(
      Self.count("<polygon ", in: Self.drawing([Self.cell(0, transform: .projective(behind))])) == 0
    )
  }

  @Test("labels shrink with their element and go where they could not be read")
  func labels() throws {
    func label(_ width: Double, _ text: String) -> ElementShape.Label? {
      ElementShape(
        LayoutAttributes(frame: Rect(x: 0, y: 0, width: width, height: 40)),
        scale: 1
      )?.label(text, smallest: 5)
    }
    let large = try #require(label(200, "12.345"))
    let small = try #require(label(30, "12.345"))
    #expect(large.size == 14)
    #expect(small.size < 14 && small.size >= 5)
    #expect(label(12, "12.345") == nil)
  }

  @Test("tells sections, categories and cell kinds apart")
  func colors() {
    let palette = Palette(cellKinds: ["a", "b"], otherKinds: ["badge"])
    let keys: [ElementKey] = [
      .cell(0, 0, kind: "a"), .cell(0, 0, kind: "b"), .cell(1, 0, kind: "a"),
      .supplementary("header", section: 0), .supplementary("footer", section: 0),
      .supplementary("badge", section: 0), .decoration("background", section: 0),
      .decoration("separator", section: 0),
    ]
    #expect(Set(keys.map { palette.colors(of: $0).fill }).count == keys.count)
    #expect(Palette.color(0, 100, 50) == "#ff0000")
    #expect(Palette.color(120, 100, 25) == "#008000")
  }

  @Test("writes no characters that XML does not have")
  func escaping() {
    #expect(SVGText.escaped("a\u{0}b\u{1B}<\"&>é") == "a\u{FFFD}b\u{FFFD}&lt;&quot;&amp;&gt;é")
  }
}
