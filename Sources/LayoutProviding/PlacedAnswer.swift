// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutGeometry
internal import LayoutProtocol

/// The elements that a layout placed, in the form in which they are sent.
struct PlacedAnswer: Sendable {
  /// Some of the elements, in the order in which they are sent.
  struct Elements: Sendable {
    /// The numbers of the items whose cells these are.
    var cells: [Int] = []
    var others: [PlacedItems.Other] = []
  }

  /// The number of elements in one message: about 256 KiB.
  private static let chunk = 4096

  let layout: String
  let items: ItemsToPlace
  let placed: PlacedItems
  /// The names of all kinds.
  let kindNames: [String]
  let elementCount: Int
  /// What the answer keeps in memory: items, shown or not, and elements.
  var keptCount: Int { items.items.count + elementCount }
  private let kindNumbers: [String: Int]

  /// - Parameter kinds: the names of kinds in the earlier answer.
  /// - Throws: `RPCError` if not all items were placed.
  init(
    _ placed: PlacedItems,
    of items: ItemsToPlace,
    layout: String,
    kinds: [String] = []
  ) throws(RPCError) {
    guard placed.cells.count == items.items.count else {
      throw RPCError(
        code: .internalError,
        message: "\(placed.cells.count) cells were placed for \(items.items.count) items"
      )
    }
    self.layout = layout
    self.items = items
    self.placed = placed
    var names = kinds
    var numbers = Dictionary(
      kinds.enumerated().map { ($1, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    for other in placed.others where numbers[other.kind] == nil {
      numbers[other.kind] = names.count
      names.append(other.kind)
    }
    (kindNames, kindNumbers) = (names, numbers)
    elementCount = placed.cells.reduce(placed.others.count) { $1 == nil ? $0 : $0 + 1 }
  }

  /// All elements.
  var everything: Elements {
    let cells = placed.cells.indices.filter { placed.cells[$0] != nil }
    return Elements(cells: cells, others: placed.others)
  }

  /// Sends elements in messages. Cells that are not shown have no frame.
  ///
  /// - Throws: what `send` throws.
  func write(
    _ elements: Elements,
    _ send: (Wire.PlacedElements) async throws -> Void
  ) async throws {
    var message = Wire.PlacedElements()
    func sendIfFull() async throws {
      guard message.count >= Self.chunk else { return }
      try await send(message)
      message = .init()
    }
    for number in elements.cells {
      let item = items.items[number]
      let cell = placed.cells[number] ?? Self.nowhere
      message.append(cell, .cell, kind: 0, section: item.section, item: item.index)
      try await sendIfFull()
    }
    for other in elements.others {
      message.append(
        other.element,
        other.isDecoration ? .decoration : .supplementary,
        kind: kindNumbers[other.kind] ?? 0,
        section: other.section,
        item: other.item ?? -1
      )
      try await sendIfFull()
    }
    if message.count > 0 { try await send(message) }
  }

  private static let nowhere = PlacedElement(x: 0, y: 0, width: 0, height: 0)
}

extension Wire.PlacedElements {
  fileprivate mutating func append(
    _ element: PlacedElement,
    _ category: Wire.ElementCategory,
    kind: Int,
    section: Int,
    item: Int
  ) {
    count += 1
    categories.append(category)
    kinds.append(UInt32(clamping: kind))
    sections.append(UInt32(clamping: section))
    items.append(Int32(clamping: item))
    xs.append(element.frame.x)
    ys.append(element.frame.y)
    widths.append(element.frame.width)
    heights.append(element.frame.height)
    zIndices.append(element.zIndex)
    alphas.append(element.alpha)
  }
}

extension Wire.RemovedElements {
  /// The places of elements, without their appearance.
  init(placesOf elements: Wire.PlacedElements) {
    self.init()
    count = elements.count
    categories = elements.categories
    kinds = elements.kinds
    sections = elements.sections
    items = elements.items
  }
}
