// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// A layout between two prepared layouts of the same contents, like
/// UICollectionViewTransitionLayout.
///
/// Frames, alpha and transforms are interpolated linearly. Elements that only one of the two
/// layouts has fade in or out.
struct InterpolatedLayout: PreparedLayout {
  /// The layout at progress 0.
  let from: any PreparedLayout
  /// The layout at progress 1.
  let to: any PreparedLayout
  /// 0 to 1.
  let progress: Double
  private let kinds: InterpolatedKinds

  init(
    from: any PreparedLayout,
    to: any PreparedLayout,
    kinds: InterpolatedKinds,
    progress: Double
  ) {
    self.from = from
    self.to = to
    self.kinds = kinds
    self.progress = progress
  }

  var kindNames: [String] { kinds.names }

  var context: LayoutContext { from.context }

  var contentSize: Size {
    let (a, b) = (from.contentSize, to.contentSize)
    return Size(width: mix(a.width, b.width), height: mix(a.height, b.height))
  }

  var scrollAxis: ScrollAxis? { from.scrollAxis == to.scrollAxis ? from.scrollAxis : nil }

  /// Where one of the layouts pins elements, these lie between two places that depend on the offset
  /// in different ways: no renderer can pin them by itself.
  var scrollDependence: ScrollDependence {
    from.scrollDependence == .none && to.scrollDependence == .none ? .none : .everything
  }

  var byteCount: Int { from.byteCount + to.byteCount }

  /// Appends the elements of both layouts, each at its place between them.
  ///
  /// A query that takes fewer elements than one of the layouts has in the rect gets as many of that
  /// layout as it takes, at their places there, so that its owner asks again with a smaller rect.
  /// At both ends of the transition only one layout is asked.
  ///
  /// - Complexity: that of both queries, which look at `sources(of:_:_:)`, and of the lookup of
  ///   elements that only one layout has there
  func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {
    let viewport = pinning(viewport)
    // An element that only one of the layouts has in the rect is looked up in the other.
    let work = buffer.work ?? LayoutWork(stepLimit: buffer.stepLimit)
    let reached = reach(of: rect, viewport, work, as: buffer)
    let sources =
      reached.map { $0.isFirst ? (from: [], to: [rect]) : (from: [rect], to: []) }
      ?? sources(of: rect, viewport, work)
    var starts = buffer.emptied()
    if progress < 1 { from.append(sources.from, viewport, to: &starts) }
    buffer.endIfCutShort(starts)
    if buffer.isCutShort { return }
    var ends = buffer.emptied()
    if progress > 0 { to.append(sources.to, viewport, to: &ends) }
    buffer.endIfCutShort(ends)
    if buffer.isCutShort { return }
    if let reached {
      if reached.isFirst { starts = reached.elements } else { ends = reached.elements }
    }
    for index in ends.elements.indices {
      ends.elements[index].kind = kinds.number(ofTo: ends.elements[index].kind)
    }
    let areFull = (starts: starts.isFull, ends: ends.isFull)
    starts.sortAndDropRepeated()
    ends.sortAndDropRepeated()
    if !buffer.isSearch, areFull.starts || areFull.ends {
      // Which of the elements that one part has the other one lacks is not known.
      let isNearerEnd = areFull.ends && (progress >= 0.5 || !areFull.starts)
      buffer.append(all: isNearerEnd ? ends : starts)
    } else {
      mix(starts, ends, in: rect, viewport, work, into: &buffer)
    }
  }

  /// Appends the elements that two layouts have in a rect, and that are in it between them.
  private func mix(
    _ starts: ElementBuffer,
    _ ends: ElementBuffer,
    in rect: Rect,
    _ viewport: Viewport,
    _ work: LayoutWork,
    into buffer: inout ElementBuffer
  ) {
    func emit(_ element: LayoutElement, _ start: LayoutAttributes?, _ end: LayoutAttributes?) {
      guard let attributes = mix(start, end), attributes.boundingBox.meets(rect) else { return }
      buffer.append(
        attributes,
        category: element.category,
        kind: element.kind,
        indexPath: element.indexPath
      )
    }
    func lookUp(_ element: LayoutElement, in layout: any PreparedLayout) -> LayoutAttributes? {
      guard buffer.visit(Self.stepsPerLookup) else { return nil }
      return layout.attributes(of: key(of: element), viewport: viewport, work: work)
    }
    func emitArriving(_ element: LayoutElement) {
      let start = progress < 1 ? lookUp(element, in: from) : nil
      emit(element, start, ends.attributes(of: element))
    }
    var end = 0
    for start in starts.elements where !work.isStopped && !buffer.isCutShort {
      while end < ends.elements.count, LayoutElement.precedes(ends.elements[end], start) {
        emitArriving(ends.elements[end])
        end += 1
      }
      if end < ends.elements.count, !LayoutElement.precedes(start, ends.elements[end]) {
        emit(start, starts.attributes(of: start), ends.attributes(of: ends.elements[end]))
        end += 1
      } else {
        emit(start, starts.attributes(of: start), progress > 0 ? lookUp(start, in: to) : nil)
      }
    }
    for element in ends.elements[end...] where !work.isStopped && !buffer.isCutShort {
      emitArriving(element)
    }
    // Elements are missing then.
    if work.isStopped { buffer.visit(.max) }
  }

  /// What it takes to find one element, besides the steps that the layout counts itself.
  private static var stepsPerLookup: Int { 8 }

  func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? {
    let viewport = pinning(viewport)
    return mix(
      from.attributes(of: key, viewport: viewport),
      to.attributes(of: key, viewport: viewport)
    )
  }

  func attributes(
    of key: ElementKey,
    viewport: Viewport,
    work: LayoutWork
  ) -> LayoutAttributes? {
    let viewport = pinning(viewport)
    return mix(
      from.attributes(of: key, viewport: viewport, work: work),
      to.attributes(of: key, viewport: viewport, work: work)
    )
  }

  /// What the second layout has at the same part of its extent.
  func itemProgress(at place: Double, along axis: ScrollAxis, work: LayoutWork) -> ItemProgress? {
    to.itemProgress(at: place * ratio(along: axis), along: axis, work: work)
  }

  func itemCounts(
    startingBefore places: [Double],
    along axis: ScrollAxis,
    isReversed: Bool,
    work: LayoutWork
  ) -> [Int]? {
    let ratio = ratio(along: axis)
    return to.itemCounts(
      startingBefore: places.map { $0 * ratio },
      along: axis,
      isReversed: isReversed,
      work: work
    )
  }

  func sectionStart(_ section: Int, along axis: ScrollAxis) -> Double? {
    let ratio = ratio(along: axis)
    return to.sectionStart(section, along: axis).map { ratio > 0 ? $0 / ratio : $0 }
  }

  /// The extent of the second layout's content by that of the content between.
  private func ratio(along axis: ScrollAxis) -> Double {
    let extent = axis.main(contentSize)
    return extent > 0 ? axis.main(to.contentSize) / extent : 1
  }

  /// The viewport in which both layouts pin elements, whether or not each of them does so at rest.
  private func pinning(_ viewport: Viewport) -> Viewport {
    var viewport = viewport
    viewport.rendererPins = false
    return viewport
  }

  private func key(of element: LayoutElement) -> ElementKey {
    ElementKey(
      category: element.category,
      kind: kinds.name(element.kind),
      indexPath: element.indexPath
    )
  }

  // MARK: - Interpolation

  /// Attributes between those of two layouts; nil = the element is not shown. An element that one
  /// of the layouts does not have keeps its place and fades.
  private func mix(_ start: LayoutAttributes?, _ end: LayoutAttributes?) -> LayoutAttributes? {
    guard let start else {
      guard progress > 0, var end else { return nil }
      end.alpha *= progress
      return end
    }
    guard let end else {
      guard progress < 1 else { return nil }
      var start = start
      start.alpha *= 1 - progress
      return start
    }
    if progress == 0 { return start }
    if progress == 1 { return end }
    var mixed = progress < 0.5 ? start.fading : end.fading
    mixed.frame = Rect(
      x: mix(start.frame.x, end.frame.x),
      y: mix(start.frame.y, end.frame.y),
      width: mix(start.frame.width, end.frame.width),
      height: mix(start.frame.height, end.frame.height)
    )
    mixed.alpha = mix(start.alpha, end.alpha)
    mixed.transform = mix(start.transform, end.transform)
    return mixed
  }

  private func mix(_ start: Transform, _ end: Transform) -> Transform {
    if start == end { return start }
    switch (start.affine, end.affine) {
    case (let a?, let b?):
      return .affine(
        a: mix(a.a, b.a),
        b: mix(a.b, b.b),
        c: mix(a.c, b.c),
        d: mix(a.d, b.d),
        tx: mix(a.tx, b.tx),
        ty: mix(a.ty, b.ty)
      )
    default:
      let (a, b) = (start.matrix, end.matrix)
      func row(_ a: SIMD4<Double>, _ b: SIMD4<Double>) -> SIMD4<Double> { a + (b - a) * progress }
      return .projective(
        Matrix4(
          rows: row(a.rows.0, b.rows.0),
          row(a.rows.1, b.rows.1),
          row(a.rows.2, b.rows.2),
          row(a.rows.3, b.rows.3)
        )
      )
    }
  }

  private func mix(_ start: Double, _ end: Double) -> Double { start + (end - start) * progress }
}

/// Common numbers for the kinds of two prepared layouts. The kinds of the first keep their numbers.
struct InterpolatedKinds: Sendable {
  /// The names of all kinds, by number.
  let names: [String]
  /// The number in `names` of each kind of the second layout.
  private let numbersOfTo: [UInt16]

  /// - Complexity: O(kinds)
  init(from: any PreparedLayout, to: any PreparedLayout) {
    var names = from.kindNames
    var numbers: [ExactText: UInt16] = [:]
    for (index, name) in names.enumerated() where numbers[ExactText(name)] == nil {
      numbers[ExactText(name)] = UInt16(clamping: index)
    }
    numbersOfTo = to.kindNames.map { name in
      if let number = numbers[ExactText(name)] { return number }
      let number = UInt16(clamping: names.count)
      numbers[ExactText(name)] = number
      names.append(name)
      return number
    }
    self.names = names
  }

  /// The common number of a kind of the second layout.
  func number(ofTo kind: UInt16) -> UInt16 {
    Int(kind) < numbersOfTo.count ? numbersOfTo[Int(kind)] : kind
  }

  /// The name of a kind; "" where the number has no name.
  func name(_ number: UInt16) -> String {
    Int(number) < names.count ? names[Int(number)] : ""
  }
}

extension PreparedLayout {
  /// Appends the elements of several rects; one that is in two of them is appended twice.
  func append(_ rects: [Rect], _ viewport: Viewport, to buffer: inout ElementBuffer) {
    for rect in rects where !buffer.isCutShort {
      appendElements(in: rect, viewport: viewport, to: &buffer)
    }
  }
}

extension ElementBuffer {
  fileprivate mutating func sortAndDropRepeated() {
    sort()
    var count = 0
    for index in elements.indices
    where count == 0 || LayoutElement.precedes(elements[count - 1], elements[index]) {
      elements[count] = elements[index]
      count += 1
    }
    elements.removeLast(elements.count - count)
  }

  /// Appends all elements of another buffer that there is room for.
  fileprivate mutating func append(all other: borrowing ElementBuffer) {
    for element in other.elements where !isFull {
      if element.extra < 0 {
        append(element)
      } else {
        append(element, extra: other.extras[Int(element.extra)])
      }
    }
  }
}

extension Transform {
  fileprivate typealias Affine = (
    a: Double, b: Double, c: Double, d: Double, tx: Double, ty: Double
  )

  /// The matrix of a transform in the plane; nil = the transform is projective.
  fileprivate var affine: Affine? {
    switch self {
    case .identity: (1, 0, 0, 1, 0, 0)
    case .affine(let a, let b, let c, let d, let tx, let ty): (a, b, c, d, tx, ty)
    case .projective: nil
    }
  }
}
