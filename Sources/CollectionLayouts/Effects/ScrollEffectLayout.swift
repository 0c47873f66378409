// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

extension PreparedLayout {
  /// The layout as it is seen with effects: elements have other opacities, transforms and
  /// z-indices, and are found by their resulting bounds. Frames, sizes and scroll targets are the
  /// same. This layout does not change, so that viewers with other effects share it.
  ///
  /// - Complexity: O(1); O(kinds) if the effects name kinds.
  public func showing(_ effects: [ScrollEffect]) -> any PreparedLayout {
    effects.isEmpty ? self : ScrollEffectLayout(self, effects)
  }
}

/// A prepared layout as it is seen with scroll effects.
///
/// It keeps no elements: each query asks the layout without effects in a rect that is larger by the
/// effects' reach, and applies the effects to what it finds.
public struct ScrollEffectLayout: PreparedLayout {
  /// The layout without effects.
  public let settled: any PreparedLayout
  /// The effects.
  public let effects: ScrollEffects
  private let reach: Double
  private let masks: ScrollEffectMasks

  /// Makes the view of a layout.
  public init(_ settled: any PreparedLayout, _ effects: [ScrollEffect]) {
    self.settled = settled
    self.effects = ScrollEffects(effects, axis: settled.scrollAxis)
    reach = self.effects.reach
    masks = ScrollEffectMasks(self.effects, of: settled)
  }

  /// Any element may change with any step.
  public var scrollDependence: ScrollDependence { .everything }

  /// Appends the elements whose bounds meet a rect, with effects.
  ///
  /// - Complexity: that of the layout's own query in a rect that is larger by the effects' reach.
  public func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {
    buffer.beginStaging(
      ScrollEffectStage(
        rect: rect,
        view: ScrollEffectView(effects, viewport: viewport),
        masks: masks,
        sections: SectionAxes(settled, viewport: viewport, isNeeded: effects.dependsOnElementAxis)
      )
    )
    settled.appendElements(in: rect.widened(by: reach), viewport: viewport, to: &buffer)
    buffer.endStaging()
  }

  /// The attributes of one element with effects; nil if no such element exists.
  public func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? {
    attributes(of: key, viewport: viewport, work: .unlimited)
  }

  /// The attributes of one element with effects, within limits.
  public func attributes(
    of key: ElementKey,
    viewport: Viewport,
    work: LayoutWork
  ) -> LayoutAttributes? {
    settled.attributes(of: key, viewport: viewport, work: work).map {
      seen($0, of: key, viewport: viewport)
    }
  }

  /// Applies the effects to attributes of an element of this layout, wherever these place it.
  ///
  /// - Parameter attributes: the attributes without effects.
  public func seen(
    _ attributes: LayoutAttributes,
    of key: ElementKey,
    viewport: Viewport
  ) -> LayoutAttributes {
    var sections = SectionAxes(settled, viewport: viewport, isNeeded: effects.dependsOnElementAxis)
    return ScrollEffectView(effects, viewport: viewport).attributes(
      of: attributes,
      key: masks.complete(key),
      scrollsAcross: sections.scrollsAcross(key.indexPath),
      pin: viewport.rendererPins ? settled.pinRange(of: key, viewport: viewport) : nil
    )
  }

  /// Every change invalidates all elements.
  public func invalidation(from old: Viewport, to new: Viewport) -> BoundsInvalidation {
    old == new ? .none : .everything
  }
}

// MARK: - As without effects

extension ScrollEffectLayout {
  /// That of the layout without effects.
  public var context: LayoutContext { settled.context }
  /// That of the layout without effects.
  public var contentSize: Size { settled.contentSize }
  /// Those of the layout without effects.
  public var kindNames: [String] { settled.kindNames }
  /// That of the layout without effects.
  public func kindName(_ number: Int) -> String? { settled.kindName(number) }
  /// That of the layout without effects.
  public var scrollAxis: ScrollAxis? { settled.scrollAxis }
  /// As in the layout without effects.
  public var startsAtRightEdge: Bool { settled.startsAtRightEdge }
  /// As in the layout without effects.
  public var appendsInOrder: Bool { settled.appendsInOrder }
  /// That of the layout without effects.
  public var pageSpacing: Double { settled.pageSpacing }
  /// That of the layout without effects.
  public var defaultAppearing: AppearanceAnimation { settled.defaultAppearing }
  /// That of the layout without effects.
  public var defaultDisappearing: AppearanceAnimation { settled.defaultDisappearing }
  /// That of the layout without effects.
  public var byteCount: Int { settled.byteCount }

  /// That of the layout without effects.
  public func pinRange(of key: ElementKey, viewport: Viewport) -> PinRange? {
    settled.pinRange(of: key, viewport: viewport)
  }

  /// That of the layout without effects.
  public func restingOffset(
    proposed: Point,
    velocity: Point,
    section: Int?,
    viewport: Viewport
  ) -> ScrollTarget? {
    settled.restingOffset(
      proposed: proposed,
      velocity: velocity,
      section: section,
      viewport: viewport
    )
  }

  /// That of the layout without effects.
  public func restingOffset(
    proposed: Point,
    velocity: Point,
    section: Int?,
    viewport: Viewport,
    work: LayoutWork
  ) -> ScrollTarget? {
    settled.restingOffset(
      proposed: proposed,
      velocity: velocity,
      section: section,
      viewport: viewport,
      work: work
    )
  }

  /// That of the layout without effects.
  public func sectionOffset(_ section: Int, viewport: Viewport) -> Double? {
    settled.sectionOffset(section, viewport: viewport)
  }

  /// That of the layout without effects.
  public func sectionScroll(_ section: Int, viewport: Viewport) -> SectionScroll? {
    settled.sectionScroll(section, viewport: viewport)
  }

  /// Those of the layout without effects.
  public func groups(around main: Double, work: LayoutWork) -> [GroupExtent]? {
    settled.groups(around: main, work: work)
  }

  /// That of the layout without effects.
  public func itemProgress(
    at place: Double,
    along axis: ScrollAxis,
    work: LayoutWork
  ) -> ItemProgress? { settled.itemProgress(at: place, along: axis, work: work) }

  /// Those of the layout without effects.
  public func itemCounts(
    startingBefore places: [Double],
    along axis: ScrollAxis,
    isReversed: Bool,
    work: LayoutWork
  ) -> [Int]? {
    settled.itemCounts(startingBefore: places, along: axis, isReversed: isReversed, work: work)
  }

  /// That of the layout without effects.
  public func sectionStart(_ section: Int, along axis: ScrollAxis) -> Double? {
    settled.sectionStart(section, along: axis)
  }

  /// That of the layout without effects.
  public func scrollOffset(
    showing key: ElementKey,
    position: ScrollPosition,
    viewport: Viewport
  ) -> Point? {
    settled.scrollOffset(showing: key, position: position, viewport: viewport)
  }
}

// MARK: - Queries

/// Applies effects to the elements of a query.
private struct ScrollEffectStage: ElementStage {
  /// The rect whose elements are wanted.
  let rect: Rect
  let view: ScrollEffectView
  let masks: ScrollEffectMasks
  var sections: SectionAxes

  mutating func change(_ element: inout LayoutElement, _ extra: inout ElementExtra?) -> Bool {
    let mask = masks.mask(of: element)
    if mask != 0 {
      let seen = view.applying(
        mask,
        to: element.attributes(extra),
        scrollsAcross: sections.scrollsAcross(element.indexPath),
        pin: extra?.pin
      )
      element.alpha = seen.alpha
      element.zIndex = Int32(clamping: seen.zIndex)
      element.isHidden = seen.isHidden
      if seen.transform != extra?.transform ?? .identity {
        extra = extra ?? ElementExtra()
        extra?.transform = seen.transform
      }
    }
    // An element that the renderer pins is wanted wherever it may be.
    if extra?.pin != nil { return true }
    return (extra?.transform.boundingBox(of: element.frame) ?? element.frame).meets(rect)
  }
}

// MARK: - Which effects, which axis

/// The effects on each element of a layout.
private struct ScrollEffectMasks: Sendable {
  /// The effects on elements of kinds that no effect names, by category.
  private let others: [UInt16]
  /// The effects on the elements of kinds that effects name, by `LayoutElement.classRank`.
  private let named: [UInt32: UInt16]
  /// Tell the kinds of cells, which queries fill in last; nil = no effect depends on them.
  private let contents: CollectionContents?
  private let hasSeveralKinds: Bool

  init(_ effects: ScrollEffects, of layout: any PreparedLayout) {
    others = ElementCategory.allCases.map { category in
      effects.mask(category) { $0.kinds.isEmpty }
    }
    let kinds = TextMasks(effects.effects.map(\.kinds))
    var named: [UInt32: UInt16] = [:]
    if !kinds.isEmpty {
      let all = ElementCategory.allCases.map { ($0, effects.mask($0) { _ in true }) }
      for (number, name) in layout.kindNames.enumerated() where kinds.names(name) {
        let ofKind = UInt16(truncatingIfNeeded: kinds.mask(of: name))
        for (category, ofCategory) in all {
          let rank = LayoutElement.classRank(category, kind: UInt16(clamping: number))
          named[rank] = ofCategory & ofKind
        }
      }
    }
    self.named = named
    let contents = layout.context.contents
    self.contents = effects.namesCellKinds ? contents : nil
    hasSeveralKinds = contents.cellKindNames.count > 1
  }

  /// The effects on an element that a query has found.
  ///
  /// - Complexity: O(1); O(log n) for cells if effects name kinds of cells.
  func mask(of element: LayoutElement) -> UInt16 {
    let category = element.category
    let rest = others[Int(category.rawValue) - 1]
    guard !named.isEmpty else { return rest }
    var kind = element.kind
    if category == .cell, hasSeveralKinds, let item = contents?.item(at: element.indexPath) {
      kind = UInt16(clamping: item.cellKind)
    }
    return named[LayoutElement.classRank(category, kind: kind)] ?? rest
  }

  /// A key with the cell's kind, which keys may leave out.
  func complete(_ key: ElementKey) -> ElementKey {
    guard key.category == .cell, key.kind.isEmpty, let contents,
      let item = contents.item(at: key.indexPath),
      contents.cellKindNames.indices.contains(item.cellKind)
    else { return key }
    var complete = key
    complete.kind = contents.cellKindNames[item.cellKind]
    return complete
  }
}

/// Tells which elements scroll across the content's axis, section by section.
public struct SectionAxes: Sendable {
  private let layout: any PreparedLayout
  private let viewport: Viewport
  private let isNeeded: Bool
  private var last: (section: Int, scrollsAcross: Bool)?

  /// - Parameter isNeeded: false = the answer is not needed and always false.
  public init(_ layout: any PreparedLayout, viewport: Viewport, isNeeded: Bool = true) {
    self.layout = layout
    self.viewport = viewport
    self.isNeeded = isNeeded
  }

  /// Whether an element is in a section that scrolls by itself, and moves with it. Elements of the
  /// section as a whole, such as its header, do not.
  ///
  /// - Complexity: O(1) for the section of the call before, else that of
  ///   `PreparedLayout.sectionOffset`.
  public mutating func scrollsAcross(_ path: IndexPath) -> Bool {
    guard isNeeded, path.item != nil else { return false }
    if let last, last.section == path.section { return last.scrollsAcross }
    let scrolls = layout.sectionOffset(path.section, viewport: viewport) != nil
    last = (path.section, scrolls)
    return scrolls
  }
}

extension LayoutElement {
  /// The attributes on which effects depend.
  fileprivate func attributes(_ extra: ElementExtra?) -> LayoutAttributes {
    LayoutAttributes(
      frame: frame,
      transform: extra?.transform ?? .identity,
      alpha: alpha,
      zIndex: Int(zIndex),
      isHidden: isHidden
    )
  }
}

extension Rect {
  /// The rect with all edges moved outwards, in points.
  public func widened(by distance: Double) -> Rect {
    distance > 0
      ? Rect(
        x: x - distance,
        y: y - distance,
        width: width + 2 * distance,
        height: height + 2 * distance
      ) : self
  }
}
