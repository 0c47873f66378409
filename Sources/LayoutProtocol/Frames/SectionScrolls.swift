// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry
import LayoutSession

extension Wire.SectionScrolls {
  init(_ states: [SectionScrollState]) {
    self.init()
    sections = states.map { Wire.SectionScroll($0) }
  }
}

extension Wire.SectionScroll {
  fileprivate init(_ state: SectionScrollState) {
    self.init()
    let scroll = state.scroll
    section = UInt32(clamping: state.section)
    rect = Wire.Rect(scroll.frame)
    contentLength = scroll.contentLength
    offset = scroll.offset
    minOffset = scroll.minimumOffset
    maxOffset = scroll.maximumOffset
    direction = Wire.Point(scroll.direction)
    guard let complete = state.completeOffsets else { return }
    clientScrolls = true
    minCompleteOffset = complete.lowerBound
    maxCompleteOffset = complete.upperBound
    isReset = state.isReset
  }
}

extension FieldReader {
  /// Reads the sections of a frame that scroll by themselves.
  mutating func sectionScrolls(
    _ message: Wire.SectionScrolls,
    _ name: StaticString
  ) -> [SectionScrollState] {
    within(name) { reader in
      reader.each(message.sections, "sections") { $1.sectionScroll($0) }
    }
  }

  private mutating func sectionScroll(_ message: Wire.SectionScroll) -> SectionScrollState {
    let low = number(message.minCompleteOffset, "min_complete_offset")
    let high = number(message.maxCompleteOffset, "max_complete_offset")
    return SectionScrollState(
      section: Int(message.section),
      scroll: SectionScroll(
        frame: rect(message.rect, "rect"),
        contentLength: number(message.contentLength, "content_length"),
        minimumOffset: number(message.minOffset, "min_offset"),
        maximumOffset: number(message.maxOffset, "max_offset"),
        offset: number(message.offset, "offset"),
        direction: point(message.direction, "direction"),
        isRigid: message.clientScrolls
      ),
      completeOffsets: message.clientScrolls && low <= high ? low ... high : nil,
      isReset: message.isReset
    )
  }
}
