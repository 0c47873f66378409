// SPDX-License-Identifier: Apache-2.0

import LayoutProtocol

/// Generated data for pictures. It is the same in every run.
enum SampleContents {
  /// Sections of items without their own size.
  case plain([Int])
  /// Sections of items without their own size, with keys "0-0", "0-1" and so on.
  case keyed([Int])
  /// Sections of items with different widths and the same height.
  case pictures([Int])
  /// Sections of low items with different widths.
  case tags([Int])
  /// Sections of items with different widths and heights.
  case cards([Int])
  /// The same with two cell kinds; every fifth item has the second kind, and is half as high.
  case mixedCards([Int])
  /// A section of low items of different heights and two cell kinds; every fifth item has the
  /// second kind.
  case mixedRows(Int)
  /// Sections of items of two cell kinds; every fifth item has the second kind.
  case kinds([Int])
  /// Clusters of points on a plane of 1000 by 700.
  case points(Int)
  /// Longitudes and latitudes of some large cities.
  case cities
  /// Sections that name their layouts.
  indirect case named([(layout: String, SampleContents)])

  var message: Wire.CollectionContents {
    var generator = SplitMix64(seed: 2012)
    var contents = Wire.CollectionContents()
    switch self {
    case .plain(let counts):
      contents.sections = counts.map { count in section { $0.count = UInt32(clamping: count) } }
    case .keyed(let counts):
      contents.sections = counts.enumerated().map { index, count in
        section { block in
          block.count = UInt32(clamping: count)
          block.keys = (0 ..< count).map { "\(index)-\($0)" }
        }
      }
    case .pictures(let counts):
      contents.sections = counts.map { count in
        section { block in
          block.count = UInt32(clamping: count)
          block.widths = (0 ..< count).map { _ in
            Double(Int.random(in: 45 ... 190, using: &generator))
          }
          block.heights = [90]
        }
      }
    case .tags(let counts):
      contents.sections = counts.map { count in
        section { block in
          block.count = UInt32(clamping: count)
          block.widths = (0 ..< count).map { _ in
            Double(Int.random(in: 50 ... 130, using: &generator))
          }
          block.heights = [30]
        }
      }
    case .cards(let counts):
      contents.sections = counts.map { count in
        section { block in
          block.count = UInt32(clamping: count)
          block.widths = (0 ..< count).map { _ in
            Double(Int.random(in: 60 ... 160, using: &generator))
          }
          block.heights = (0 ..< count).map { _ in
            Double(Int.random(in: 50 ... 170, using: &generator))
          }
        }
      }
    case .mixedCards(let counts):
      contents = SampleContents.cards(counts).message
      contents.cellKindNames = ["photo", "text"]
      for section in contents.sections.indices {
        for block in contents.sections[section].blocks.indices {
          let heights = contents.sections[section].blocks[block].heights
          contents.sections[section].blocks[block].cellKinds = heights.indices.map {
            $0 % 5 == 4 ? 1 : 0
          }
          contents.sections[section].blocks[block].heights = heights.enumerated().map {
            $0 % 5 == 4 ? $1 / 2 : $1
          }
        }
      }
    case .mixedRows(let count):
      contents.cellKindNames = ["row", "text"]
      contents.sections = [
        section { block in
          block.count = UInt32(clamping: count)
          block.cellKinds = (0 ..< count).map { $0 % 5 == 4 ? 1 : 0 }
          block.heights = (0 ..< count).map { $0 % 7 == 2 ? 44 : 28 }
        }
      ]
    case .kinds(let counts):
      contents.cellKindNames = ["photo", "text"]
      contents.sections = counts.map { count in
        section { block in
          block.count = UInt32(clamping: count)
          block.cellKinds = (0 ..< count).map { $0 % 5 == 4 ? 1 : 0 }
        }
      }
    case .points(let count):
      contents.sections = [
        section { block in
          block.count = UInt32(clamping: count)
          for index in 0 ..< count {
            let center = [(220.0, 200.0), (640.0, 180.0), (480.0, 500.0)][index % 3]
            // The sum of three uniform numbers is concentrated around the middle.
            let spread = (0 ..< 6).map { _ in Double.random(in: -55 ... 55, using: &generator) }
            block.xs.append((center.0 + spread[0] + spread[1] + spread[2]).rounded())
            block.ys.append((center.1 + spread[3] + spread[4] + spread[5]).rounded())
          }
        }
      ]
    case .cities:
      contents.sections = [
        section { block in
          block.count = UInt32(clamping: Self.places.count)
          block.xs = Self.places.map(\.longitude)
          block.ys = Self.places.map(\.latitude)
        }
      ]
    case .named(let parts):
      contents.sections = parts.flatMap { name, part in
        part.message.sections.map { section in
          var section = section
          section.layoutName = name
          return section
        }
      }
    }
    return contents
  }

  private func section(_ fill: (inout Wire.ItemBlock) -> Void) -> Wire.Section {
    var section = Wire.Section()
    var block = Wire.ItemBlock()
    fill(&block)
    section.blocks = [block]
    return section
  }

  private static let places: [(longitude: Double, latitude: Double)] = [
    (-0.13, 51.51), (2.35, 48.86), (13.4, 52.52), (37.62, 55.76), (28.98, 41.01), (31.24, 30.04),
    (3.38, 6.52), (28.05, -26.2), (55.27, 25.2), (77.21, 28.61), (72.88, 19.08), (100.5, 13.76),
    (103.82, 1.35), (106.85, -6.21), (114.17, 22.32), (121.47, 31.23), (116.41, 39.9),
    (126.98, 37.57), (139.69, 35.69), (151.21, -33.87), (174.76, -36.85), (-157.86, 21.31),
    (-122.42, 37.77), (-118.24, 34.05), (-99.13, 19.43), (-87.63, 41.88), (-74.01, 40.71),
    (-79.38, 43.65), (-43.17, -22.91), (-58.38, -34.6), (-70.67, -33.45), (-77.04, -12.05),
    (-74.07, 4.71), (18.42, -33.92), (36.82, -1.29), (-17.47, 14.69), (-21.94, 64.15),
    (24.94, 60.17), (18.07, 59.33), (-9.14, 38.72),
  ]
}
