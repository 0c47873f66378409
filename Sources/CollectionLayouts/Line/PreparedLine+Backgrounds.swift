// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

// Decorations behind whole sections: from one end of the section to the other, across all of the
// content.
extension PreparedLine {
  static func kindNames(_ context: LayoutContext) -> [String] {
    var own: [String] = []
    for background in context.options.sectionBackgrounds where !own.contains(background.kind) {
      own.append(background.kind)
    }
    return context.contents.cellKindNames + own
  }

  func appendBackgrounds(of section: Int, in rect: Rect, to buffer: inout ElementBuffer) {
    let backgrounds = context.options.sectionBackgrounds
    for (rank, background) in backgrounds.enumerated()
    where applies(background, to: section)
      && !backgrounds[..<rank].contains(where: {
        $0.kind == background.kind && applies($0, to: section)
      })
    {
      let attributes = attributes(of: background, behind: section)
      guard attributes.frame.meets(rect) else { continue }
      buffer.append(
        attributes,
        category: .decoration,
        kind: kindIndex(of: background.kind),
        indexPath: IndexPath(section: section)
      )
    }
  }

  func backgroundAttributes(of key: ElementKey) -> LayoutAttributes? {
    let section = key.indexPath.section
    guard key.indexPath.item == nil, section < sections.count else { return nil }
    return context.options.sectionBackgrounds
      .first { $0.kind == key.kind && applies($0, to: section) }
      .map { attributes(of: $0, behind: section) }
  }

  private func applies(_ background: SectionBackground, to section: Int) -> Bool {
    background.sections?.contains(section) ?? true
  }

  private func kindIndex(of kind: String) -> UInt16 {
    let first = context.contents.cellKindNames.count
    return UInt16(clamping: kindNames[first...].firstIndex(of: kind) ?? first)
  }

  private func attributes(
    of background: SectionBackground,
    behind section: Int
  )
    -> LayoutAttributes
  {
    let axis = layout.scrollDirection
    let span = sections[section]
    let whole = axis.rect(
      AxisRect(
        main: span.start,
        cross: 0,
        mainLength: span.end - span.start,
        crossLength: axis.cross(contentSize)
      )
    )
    return LayoutAttributes(
      frame: mirrored(whole.inset(by: background.insets)),
      zIndex: background.zIndex,
      custom: background.custom
    )
  }
}
