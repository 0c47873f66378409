// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

// Decorations behind whole sections. They span the section along the line, and the whole content
// across it.
extension PreparedLine {
  func appendBackgrounds(of section: Int, in rect: Rect, to buffer: inout ElementBuffer) {
    guard !backgrounds.isEmpty else { return }
    backgrounds.forEach(of: section) { background, kind in
      let attributes = attributes(of: background, behind: section)
      guard attributes.frame.meets(rect) else { return }
      buffer.append(
        attributes,
        category: .decoration,
        kind: UInt16(clamping: context.contents.cellKindNames.count + kind),
        indexPath: IndexPath(section: section)
      )
    }
  }

  func backgroundAttributes(of key: ElementKey) -> LayoutAttributes? {
    let section = key.indexPath.section
    guard key.indexPath.item == nil, section < sections.count else { return nil }
    return backgrounds.background(ofKind: key.kind, section: section)
      .map { attributes(of: $0, behind: section) }
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
