// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry
import LayoutProtocol
import Testing

@testable import layoutctl

@Suite("Pictures of pixels", .timeLimit(.minutes(1)))
struct PictureTests {
  private static let red = RGB(200, 0, 0)
  private static let white = RGB(255, 255, 255)

  @Test("a polygon covers the pixels whose centres lie in it")
  func polygons() {
    var raster = Raster(width: 4, height: 3, Self.white)
    let corners = [
      Point(x: 0.6, y: 0), Point(x: 2.5, y: 0), Point(x: 2.5, y: 1.4), Point(x: 0.6, y: 1.4),
    ]
    raster.fill(corners, Self.red)
    #expect(
      raster.pixels.map { $0 == Self.red } == [
        false, true, false, false, false, false, false, false, false, false, false, false,
      ]
    )
    raster.fill(
      [Point(x: -9, y: -9), Point(x: 90, y: -9), Point(x: 90, y: 90), Point(x: -9, y: 90)],
      Self.red,
      alpha: 0.5
    )
    #expect(raster[3, 2] == RGB(228, 128, 128))
    raster.fill([Point(x: .nan, y: 0), .zero, .zero, .zero], Self.white)
    #expect(raster[1, 0] == Self.red)
  }

  @Test("PNG files have a signature, chunks with checksums, and compressed rows")
  func png() {
    let bytes = PNGImage(Raster(width: 300, height: 200, Self.red)).bytes
    #expect(bytes.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    #expect(bytes.suffix(8) == [0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
    #expect(bytes.count < 4000)
    // As zlib writes it with fixed codes.
    #expect(PNGImage.zlib([]) == [0x78, 0x01, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01])
    #expect(
      PNGImage.zlib([97, 98]) == [0x78, 0x01, 0x4B, 0x4C, 0x02, 0x00, 0x01, 0x26, 0x00, 0xC4]
    )
    #expect(
      PNGImage.zlib(Array(repeating: 97, count: 300))
        == [0x78, 0x01, 0x4B, 0x1C, 0x05, 0x44, 0x03, 0x00, 0xD8, 0xA8, 0x71, 0xAD]
    )
  }

  @Test("a terminal without colours gets shades, others colours for two pixels at once")
  func terminal() {
    var raster = Raster(width: 2, height: 2, Self.white)
    raster.fill([.zero, Point(x: 1, y: 0), Point(x: 1, y: 2), Point(x: 0, y: 2)], RGB(0, 0, 0))
    #expect(TerminalPicture(raster: raster, colors: .none).lines == ["█ "])
    #expect(
      TerminalPicture(raster: raster, colors: .full).lines == [
        "\u{1B}[38;2;0;0;0m\u{1B}[48;2;0;0;0m▀\u{1B}[38;2;255;255;255m\u{1B}[48;2;255;255;255m▀"
          + "\u{1B}[0m"
      ]
    )
    #expect(
      TerminalPicture(raster: raster, colors: .palette).lines == [
        "\u{1B}[38;5;16m\u{1B}[48;5;16m▀\u{1B}[38;5;231m\u{1B}[48;5;231m▀\u{1B}[0m"
      ]
    )
  }

  @Test("what the environment says of colours")
  func colors() {
    #expect(TerminalColors([:]) == .none)
    #expect(TerminalColors(["TERM": "dumb", "COLORTERM": "truecolor"]) == .none)
    #expect(TerminalColors(["TERM": "xterm-256color"]) == .palette)
    #expect(TerminalColors(["TERM": "xterm-256color", "COLORTERM": "truecolor"]) == .full)
    #expect(TerminalColors(["TERM": "xterm", "COLORTERM": "24bit", "NO_COLOR": "1"]) == .none)
    #expect(TerminalColors(["TERM": "vt100"]) == .none)
  }

  @Test("the screen is drawn anew only where something has changed, and fits the terminal")
  func screen() throws {
    var screen = TerminalScreen(colors: .none)
    let mirror = ElementMirror()
    let area = Rect(x: 0, y: 0, width: 100, height: 100)
    let first = screen.update(mirror, in: area, status: "#1", size: (40, 11))
    let text = try #require(first)
    // 20 pixels high: ten lines and the status.
    #expect(text.split(separator: "\u{1B}[K").count == 11)
    #expect(text.hasPrefix("\u{1B}[2J"))
    #expect(text.contains("q quits"))
    let again = screen.update(mirror, in: area, status: "#1", size: (40, 11))
    #expect(again == nil)
    screen.message = "the connection broke"
    let message = screen.update(mirror, in: area, status: "#1", size: (40, 11))
    #expect(message?.contains("the connection broke") == true)
    let larger = screen.update(mirror, in: area, status: "#1", size: (80, 21))
    #expect(larger?.hasPrefix("\u{1B}[2J") == true)
    let none = screen.update(mirror, in: area, status: "#1", size: (0, 0))
    #expect(none == nil)
  }
}
