// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry
import LayoutSession
import Testing

@testable import layoutctl

@Suite("ScrollScript", .timeLimit(.minutes(2)))
struct ScrollScriptTests {
  @Test("reads steps, with comments and line breaks")
  func steps() throws {
    let script = try ScrollScript(
      parsing: """
        scroll 0 500; fling 3000 2s ;; resize 800x600  # smaller
        # nothing here; scroll 1 1
        wait 500ms; move -10 2.5; fling 100 -50 1.5s
        through; through 0.5; layout {"list":{"rowHeight": 50}}
        column year 80; column name trailing; order name,year
        """
    )
    #expect(
      script.steps == [
        .scroll(Point(x: 0, y: 500)),
        .fling(.init(velocity: [3000], duration: .seconds(2))),
        .resize(Size(width: 800, height: 600)),
        .wait(.milliseconds(500)),
        .move(Point(x: -10, y: 2.5)),
        .fling(.init(velocity: [100, -50], duration: .milliseconds(1500))),
        .through(0.9),
        .through(0.5),
        .layout(LayoutArgument(#"{"list":{"rowHeight": 50}}"#)),
        .table(TableChange(columns: ["year": TableColumnPreference(width: 80)])),
        .table(TableChange(columns: ["name": TableColumnPreference(place: .trailing)])),
        .table(TableChange(order: ["name", "year"])),
      ]
    )
  }

  @Test(
    "names the step that it does not know",
    arguments: [
      "jump 1 2", "scroll 1", "scroll a b", "scroll 1 inf", "wait", "wait 3", "wait -1s",
      "wait 4000s", "resize 5", "fling 5", "fling 1s 2", "through 0", "layout", "column year -1",
      "column year up",
    ]
  )
  func faults(step: String) {
    let error = #expect(throws: CommandFault.self) {
      try ScrollScript(parsing: "wait 1s; \(step)")
    }
    #expect(error?.message.hasPrefix("script, step 2: \"\(step)\" found; allowed are ") == true)
    #expect(error?.status == .usage)
  }

  @Test(
    "understands the keys of terminals",
    arguments: [
      ("\u{1B}[A", [ScrollKey.up]), ("\u{1B}OB", [.down]),
      ("\u{1B}[5~\u{1B}[6~", [.pageUp, .pageDown]),
      ("\u{1B}[1;5C", [.right]), ("\u{1B}[H\u{1B}[4~", [.start, .end]), ("xq", [.quit]),
      ("\u{1B}", []), ("\u{1B}[", []), ("jk ", [.down, .up, .pageDown]),
    ]
  )
  func keys(typed: String, keys: [ScrollKey]) {
    #expect(ScrollKey.decode(Array(typed.utf8)) == keys)
  }

  @Test("keys stay within the content and page along its longer axis")
  func keyOffsets() {
    let viewport = Size(width: 100, height: 100)
    let tall = Size(width: 100, height: 1000)
    let wide = Size(width: 1000, height: 100)
    let start = Point.zero
    #expect(ScrollKey.up.offset(from: start, viewport: viewport, content: tall) == start)
    #expect(
      ScrollKey.pageDown.offset(from: start, viewport: viewport, content: tall)
        == Point(x: 0, y: 90)
    )
    #expect(
      ScrollKey.pageDown.offset(from: start, viewport: viewport, content: wide)
        == Point(x: 90, y: 0)
    )
    #expect(
      ScrollKey.end.offset(from: start, viewport: viewport, content: tall) == Point(x: 0, y: 900)
    )
    #expect(ScrollKey.end.offset(from: start, viewport: viewport, content: .zero) == start)
    // Short content stays where it is aligned.
    let aligned = Point(x: 0, y: -60)
    let short = Size(width: 100, height: 40)
    for key in [ScrollKey.start, .end, .up, .pageDown] {
      #expect(key.offset(from: aligned, viewport: viewport, content: short) == aligned)
    }
  }
}
