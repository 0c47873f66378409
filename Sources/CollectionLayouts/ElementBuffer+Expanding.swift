// SPDX-License-Identifier: Apache-2.0

/// Makes elements of one layout from those of another.
protocol ElementExpander: Sendable {
  /// Appends the elements made from one element. Its kind may not be final if it is a cell.
  func expand(_ element: LayoutElement, _ extra: ElementExtra?, into buffer: inout ElementBuffer)
}

/// The elements of a query that wait to be expanded.
struct ElementExpansion: Sendable {
  /// In an array, as stages are, so that the buffer contains no existential itself.
  var expanders: [any ElementExpander]
  /// The number of elements that exist already, and of their extras.
  var start: Int
  var extraStart: Int
  /// The room that the buffer has without expansion.
  var room: Int
}

// Queries in which a layout makes several elements from one of another layout. They are expanded
// some at a time, so that limits and searches count the results.
extension ElementBuffer {
  /// The most elements that wait to be expanded.
  private static var expandedAtOnce: Int { 256 }

  /// Expands the elements that are appended from now on until `endExpanding`.
  mutating func beginExpanding(_ expander: any ElementExpander) {
    expansion = ElementExpansion(
      expanders: [expander],
      start: elements.count,
      extraStart: extras.count,
      room: room
    )
    makeExpandingRoom()
  }

  /// Expands the remaining elements, and ends what `beginExpanding` began.
  mutating func endExpanding() {
    expandLast()
    if let expansion, !isCutShort { room = expansion.room }
    expansion = nil
  }

  /// Expands the waiting elements.
  mutating func expandWaiting() {
    expandLast()
    makeExpandingRoom()
  }

  private mutating func makeExpandingRoom() {
    guard let expansion, !isCutShort else { return }
    room = min(expansion.room, max(elements.count, elements.count + Self.expandedAtOnce))
  }

  private mutating func expandLast() {
    guard var expansion, expansion.start < elements.count else { return }
    let last = Array(elements[expansion.start...])
    let lastExtras = Array(extras[expansion.extraStart...])
    elements.removeSubrange(expansion.start...)
    extras.removeSubrange(expansion.extraStart...)
    // The results are appended like elements without expansion.
    self.expansion = nil
    if !isCutShort { room = expansion.room }
    for element in last where !isFull {
      let place = Int(element.extra) - expansion.extraStart
      let extra = lastExtras.indices.contains(place) ? lastExtras[place] : nil
      expansion.expanders[0].expand(element, extra, into: &self)
    }
    expansion.room = room
    expansion.start = elements.count
    expansion.extraStart = extras.count
    self.expansion = expansion
    noteNarrowing()
  }
}
