// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CollectionLayouts
import LayoutClient
import LayoutGeometry
import LayoutProtocol
import LayoutSession
import SwiftProtobuf
import Testing

@testable import layoutctl

@Suite("Options", .timeLimit(.minutes(2)))
struct OptionTests {
  @Test("reads sizes, points and rects")
  func geometry() {
    #expect(Size(argument: "1024x768") == Size(width: 1024, height: 768))
    #expect(Size(argument: "390.5×844") == Size(width: 390.5, height: 844))
    #expect(Point(argument: "-1,2.5") == Point(x: -1, y: 2.5))
    #expect(Rect(argument: "-1,2,3,4") == Rect(x: -1, y: 2, width: 3, height: 4))
  }

  @Test(
    "refuses what is no geometry",
    arguments: ["", "1", "1x", "x1", "-1x5", "1x2x3", "infx1", "nanx1", "1,2"]
  )
  func badSizes(text: String) {
    #expect(Size(argument: text) == nil)
    #expect(Rect(argument: text) == nil)
  }

  @Test("reads addresses, IPv6 in brackets")
  func addresses() {
    #expect(ServerAddress(argument: "[::1]:80") == ServerAddress(host: "::1", port: 80))
    #expect(ServerAddress(argument: "host:50051")?.description == "host:50051")
    #expect(
      ServerAddress(argument: "[fe80::1%eth0]:1") == ServerAddress(host: "fe80::1%eth0", port: 1)
    )
    let wrong = [
      "host", "host:", ":1", "host:0", "host:65536", "host:+1", "host:1 ", "::1:80", "[]:1", "[a:1",
      "a b:1", "a\u{0}:1", "hôst:1", "a/b:1", String(repeating: "a", count: 254) + ":1",
      "host:" + String(repeating: "0", count: 1000) + "1",
    ]
    for text in wrong {
      #expect(ServerAddress(argument: text) == nil, "\(text)")
    }
  }

  @Test("a kind's name stands for its defaults", arguments: LayoutArgument.names)
  func names(name: String) throws {
    #expect(try LayoutArgument(name).spec().kindName == name)
  }

  @Test("reads a layout of JSON, and says what is allowed instead of anything else")
  func layouts() throws {
    let spec = try LayoutArgument(#"{"waterfall":{"columnCount":3}}"#).spec()
    #expect(spec.waterfall.columnCount == 3)
    for text in ["floww", #"{"flow":{"wrong":1}}"#, "@/nowhere/layout.json"] {
      #expect(throws: CommandFault.self, "\(text)") { try LayoutArgument(text).spec() }
    }
  }

  @Test(
    "takes the commands of the documentation",
    arguments: [
      "import a.csv --collection art --section artist --width w --height h --scale-height 120",
      "list --server localhost:1", "describe art", "delete art --allow-missing", "apply art -",
      "export art --output a.json", "query art --rect 0,0,10,10 --format json",
      "query --contents a.json --layout flow", "draw art --whole -o a.svg",
      "gallery pictures --only carousel", "watch art --through --verify --quiet",
      "watch art --at end --stay end --align end", "watch art --at 12:7 --stay start",
      "edit art --rate 5 --count 100 --seed 7", "neighbor down art --from 0:12",
      "neighbor page-up --contents a.json --layout flow --point 5,7.5", "neighbor last art",
      "rest art --offset 0,300 --velocity=-900,0 --deceleration fast",
      "rest art --section 2 --section-offset 2:150 --proposed 40,0",
    ]
  )
  func commands(line: String) throws {
    _ = try LayoutCtl.parseAsRoot(line.split(separator: " ").map(String.init))
  }

  @Test(
    "refuses what contradicts itself, with the exit code of wrong usage",
    arguments: [
      "query", "query art --contents a.json --layout flow", "query --contents a.json",
      "query art --all --rect 0,0,1,1", "import a.csv", "import a.csv --collection a --x lon",
      "import a.csv --collection a --scale-height 120", "watch art --through --script wait",
      "watch art --through --duration 5s", "watch art --script through --duration 5s",
      "watch art --frames 5 --duration 5s", "watch art --frames 5 --through",
      "watch art --frames 5 --script wait", "watch art --frames 0", "watch art --duration soon",
      "watch art --at end --offset 0,5",
      "watch art --stay middle", "watch art --align top", "watch art --at 101%",
      "edit art --rate -1", "neighbor down art", "neighbor sideways art --from 0:1",
      "neighbor down art --from 0:1 --point 0,0", "neighbor down art --from 50%", "neighbor down",
      "rest art --section-offset 2", "rest art --section-offset a:1",
      "draw art --max-pixels 0", "draw art --keys -o a.png",
      "draw art --title t --output a.PNG", "list --server nowhere", "nonsense",
    ]
  )
  func contradictions(line: String) {
    let error = #expect(throws: (any Error).self) {
      try LayoutCtl.parseAsRoot(line.split(separator: " ").map(String.init))
    }
    if let error { #expect(LayoutCtl.exitCode(for: error).rawValue == 64) }
  }

  @Test(
    "refuses numbers that are not finite or beyond their range, and names option and range",
    arguments: [
      ("edit art --rate 1e-300", "--rate must be 0, or from 0.001 to 10000"),
      ("load --edits 1e-300", "--edits must be from 0.001 to 1000"),
      ("load --speed 1e-300", "--speed must be from 0.001 to 100"),
      ("load --min-rate nan", "--min-rate"), ("load --min-rate inf", "--min-rate"),
      ("load --min-rate -1", "--min-rate"), ("load --edits nan", "--edits"),
      ("edit art --rate nan", "--rate"), ("edit art --rate=-nan", "--rate"),
      ("query art --display-scale inf", "--display-scale"),
      ("query art --readable-width nan", "--readable-width"), ("scrub art --at nan", "--at"),
      ("draw art --max-pixels nan", "--max-pixels"), ("top --interval nan", "--interval"),
      ("watch art --measure nan", "--measure"),
      ("import a --collection a --width w --height h --scale-height inf", "--scale-height"),
    ]
  )
  func numbers(line: String, message: String) {
    let error = #expect(throws: (any Error).self) {
      try LayoutCtl.parseAsRoot(line.split(separator: " ").map(String.init))
    }
    guard let error else { return }
    #expect(LayoutCtl.exitCode(for: error).rawValue == 64)
    #expect(LayoutCtl.message(for: error).contains(message))
  }

  @Test("sums of counts stop at the largest number, whatever a server answers")
  func sums() {
    var map = CollectionLayout_V1_GetScrollMapResponse()
    map.buckets = Array(repeating: .with { $0.itemCount = .max }, count: 3)
    #expect(DensityStrip(map).itemCount == .max)
    #expect(DensityStrip(map).table.text.contains("9,223,372,036,854,775,807"))
    let sessions = (0 ..< 3).map { index in
      Wire.SessionStatus.with {
        $0.name = "sessions/\(index)"
        $0.frames = .max
        $0.sentBytes = .max
      }
    }
    let now = ContinuousClock.now
    let before = SessionTotals([], at: now)
    let text = SessionTotals(sessions, at: now + .seconds(1)).text(since: before, rows: 3)
    #expect(text.contains("3 sessions"))
  }

  @Test("reads the place at which a session begins")
  func starts() {
    let places: [(String, SessionStart?)] = [
      ("start", .edge(.start)), ("end", .edge(.end)), ("50%", .fraction(0.5)),
      ("0%", .fraction(0)), ("100%", .fraction(1)), ("2:31", .element(.cell(2, 31), at: .start)),
      ("k1", .item(key: "k1", at: .start)), ("a:b", .item(key: "a:b", at: .start)),
      ("key:end", .item(key: "end", at: .start)), ("key:1:2", .item(key: "1:2", at: .start)),
      ("", nil), ("key:", nil), ("-1%", nil), ("nan%", nil), ("101%", nil), ("x%", nil),
      ("4294967295:0", nil),
    ]
    for (text, start) in places {
      #expect(StartArgument(argument: text)?.start == start, "\(text)")
    }
  }

  @Test("a watch that begins at a place sends no offset")
  func watching() throws {
    func configuration(_ line: String) throws -> ViewerConfiguration {
      let words = line.split(separator: " ").map(String.init)
      return try WatchCommand.parse(words).viewerConfiguration()
    }
    let end = try configuration("art --at end --stay end --align center")
    #expect(end.start == .edge(.end) && end.viewport.offset == nil)
    #expect(end.options.sizeChangeAnchor == .end && end.options.alignment == .center)
    let plain = try configuration("art --offset 0,9")
    #expect(plain.start == nil && plain.viewport.offset == Point(x: 0, y: 9))
    #expect(plain.options == SessionOptions())
  }

  @Test("a problem becomes one line that names reason and field once")
  func problems() {
    let unknown = LayoutProblem.collectionNotFound("collections/x")
    #expect(CommandFault(unknown).description.hasPrefix("COLLECTION_NOT_FOUND: "))
    #expect(CommandFault(unknown).status == .other)
    let field = CommandFault(
      LayoutProblem.fieldInvalid("rect.x", "NaN found;\nnumbers are allowed")
    )
    #expect(!field.description.contains("\n"))
    #expect(field.description.contains("rect.x"))
    #expect(CommandFault(LayoutProblem.serverDraining()).status == .unavailable)
  }
}
