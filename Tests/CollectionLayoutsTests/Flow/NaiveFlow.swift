// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry

/// The rules of a flow layout, item by item.
struct NaiveFlow {
  var layout: FlowLayout
  var context: LayoutContext
  var reference = Reference()
  private var main = 0.0

  private var axis: ScrollAxis { layout.scrollDirection }
  private var cross: Double { axis.cross(context.container.contentSize) }

  private func pixel(_ value: Double) -> Double {
    context.options.isPixelAligned
      ? PixelGrid(scale: context.container.displayScale).round(value) : value
  }

  init(_ layout: FlowLayout, _ context: LayoutContext) {
    self.layout = layout
    self.context = context
    for section in 0 ..< context.contents.sectionCount { addSection(section) }
    // UIKit cuts off what is left of a pixel.
    let scale = context.container.displayScale
    let length =
      context.options.isPixelAligned ? (main * scale + 1e-6).rounded(.down) / scale : main
    reference.contentSize = axis.size(main: length, cross: cross)
    reference.finish(context.container, context.options)
  }

  private func rect(_ main: Double, _ cross: Double, _ length: Double, _ extent: Double) -> Rect {
    axis.rect(AxisRect(main: main, cross: cross, mainLength: length, crossLength: extent))
  }

  private mutating func addSection(_ index: Int) {
    let metrics = context.contents.section(at: index).metrics
    let inset = context.container.sectionInset(
      metrics.inset ?? layout.sectionInset,
      from: layout.sectionInsetReference,
      axis
    )
    let header = pixel(axis.main(metrics.headerSize ?? layout.headerReferenceSize))
    let footer = pixel(axis.main(metrics.footerSize ?? layout.footerReferenceSize))
    let start = main
    let path = IndexPath(section: index)
    if header > 0 {
      reference.add(.supplementary, "header", path, rect(start, 0, header, cross))
    }
    let lineSpacing = metrics.lineSpacing ?? layout.minimumLineSpacing
    let spacing = metrics.interitemSpacing ?? layout.minimumInteritemSpacing
    let extent = max(0, cross - axis.crossStart(inset) - axis.crossEnd(inset))
    main = start + header + axis.mainStart(inset)
    // The mean of measured sizes is not rounded.
    var fallback = layout.estimatedItemSize ?? layout.itemSize
    fallback = Size(width: pixel(fallback.width), height: pixel(fallback.height))
    if layout.estimatedItemSize != nil {
      fallback = context.contents.measuredItemSize ?? fallback
    }
    let sizes = context.contents.sizes(ofSection: index).map {
      let size = Size(
        width: $0.width.map(pixel) ?? fallback.width,
        height: $0.height.map(pixel) ?? fallback.height
      )
      return (axis.main(size), axis.cross(size))
    }
    place(sizes, index, extent, spacing, lineSpacing, axis.crossStart(inset))
    main += axis.mainEnd(inset)
    main = max(main, start)
    if footer > 0 {
      reference.add(.supplementary, "footer", path, rect(main, 0, footer, cross))
    }
    main += footer
    guard main > start else { return }
    var seen: Set<String> = []
    for background in context.options.sectionBackgrounds
    where background.sections?.contains(index) ?? true {
      guard seen.insert(background.kind).inserted else { continue }
      reference.add(
        .decoration,
        background.kind,
        path,
        rect(start, 0, main - start, cross).inset(by: background.insets),
        zIndex: background.zIndex,
        custom: background.custom
      )
    }
  }

  private mutating func place(
    _ sizes: [(length: Double, extent: Double)],
    _ section: Int,
    _ extent: Double,
    _ spacing: Double,
    _ lineSpacing: Double,
    _ origin: Double
  ) {
    var lines: [Range<Int>] = []
    var remaining = 0.0
    for (item, size) in sizes.enumerated() {
      if let last = lines.last, size.extent <= remaining + 1e-7 {
        lines[lines.count - 1] = last.lowerBound ..< item + 1
      } else {
        lines.append(item ..< item + 1)
        remaining = extent
      }
      remaining -= size.extent + spacing
    }
    // Self-sizing items need not be equally long along the scroll axis.
    let formColumns =
      layout.estimatedItemSize == nil
      ? sizes.allSatisfy { $0 == sizes[0] } : sizes.allSatisfy { $0.extent == sizes[0].extent }
    let allSingle = lines.allSatisfy { $0.count == 1 }
    for (number, line) in lines.enumerated() {
      let sum = sizes[line].reduce(0) { $0 + $1.extent }
      let length = sizes[line].map(\.length).max() ?? 0
      var gap = spacing
      var x = 0.0
      switch layout.alignment {
      case .justified where formColumns:
        let w = sizes[0].extent
        var fitting = 1
        while fitting < 5000,
          Double(fitting + 1) * w + Double(fitting) * spacing <= extent + 1e-7
        { fitting += 1 }
        if fitting == 1 {
          x = max(0, (extent - w) / 2)
        } else {
          gap = (extent - Double(fitting) * w) / Double(fitting - 1)
        }
      case .justified:
        if number < lines.count - 1 || allSingle {
          if line.count == 1 {
            x = max(0, (extent - sum) / 2)
          } else {
            gap = (extent - sum) / Double(line.count - 1)
          }
        }
      case .leading: break
      case .center: x = (extent - sum - Double(line.count - 1) * spacing) / 2
      case .trailing: x = extent - sum - Double(line.count - 1) * spacing
      }
      for item in line {
        let size = sizes[item]
        let offset =
          switch layout.crossAlignment {
          case .start: 0.0
          case .center: (length - size.length) / 2
          case .end: length - size.length
          }
        reference.add(
          .cell,
          "",
          IndexPath(section: section, item: item),
          rect(main + offset, origin + x, size.length, size.extent)
        )
        x += size.extent + gap
      }
      main += length + (number < lines.count - 1 ? lineSpacing : 0)
    }
  }
}
