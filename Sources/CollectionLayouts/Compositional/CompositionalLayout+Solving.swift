// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
internal import LayoutGeometry

extension CompositionalLayout {
  /// Puts the items of a section into groups.
  ///
  /// - Complexity: O(items of one group) if nothing was measured, else also O(items of the chunks
  ///   with measured sizes).
  public func solve(
    _ section: SectionContents,
    at index: Int,
    plan: CompositionalPlan,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection {
    guard let template = plan.template(named: section.layoutName, at: index) else {
      return SolvedSection(length: 0, itemCount: section.items.count, body: nil)
    }
    return solve(section, with: template, at: index, plan: plan, in: environment, work: work)
  }

  /// Puts the items of a section into the groups of a template.
  func solve(
    _ section: SectionContents,
    with template: SectionTemplate,
    at index: Int,
    plan: CompositionalPlan,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection {
    let place = SectionPlace(template: template, section: section, index: index, plan: plan)
    if let rows = template.rows {
      return assemble(place, in: environment) {
        rows.body(of: section.items, zIndex: $0, work: work)
      }
    }
    if let shape = shape(of: place, in: environment, work: work) {
      return assemble(place, in: environment) { zIndex in
        let groups = MeasuredGroups(shape, section.items, work: work)
        return SectionItems(MeasuredGroupsBody(groups, zIndex: zIndex))
      }
    }
    let builder = GroupStripBuilder(
      template: template,
      items: section.items,
      kinds: plan.kinds,
      environment: environment,
      work: work
    )
    return assemble(builder.strips(), place, in: environment, work: work)
  }

  /// Groups items again from the first edited group on, until a group begins where one did
  /// before.
  ///
  /// - Complexity: O(items of one group + runs) if nothing was measured.
  public func update(
    _ solved: SolvedSection,
    to section: SectionContents,
    by change: SectionUpdate,
    at index: Int,
    plan: CompositionalPlan,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection {
    guard let template = plan.template(named: section.layoutName, at: index) else {
      return SolvedSection(length: 0, itemCount: section.items.count, body: nil)
    }
    return update(
      solved,
      to: section,
      by: change,
      with: template,
      at: index,
      plan: plan,
      in: environment,
      work: work
    )
  }

  /// Groups the items of a section again that has changed.
  ///
  /// - Parameter solved: made with the same template.
  func update(
    _ solved: SolvedSection,
    to section: SectionContents,
    by change: SectionUpdate,
    with template: SectionTemplate,
    at index: Int,
    plan: CompositionalPlan,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection {
    let place = SectionPlace(template: template, section: section, index: index, plan: plan)
    if let rows = template.rows, let body = solved.body as? LinesBody {
      return assemble(place, in: environment) {
        rows.body(body, with: section.items, change.itemSplices, zIndex: $0, work: work)
      }
    }
    if let body = solved.body as? MeasuredGroupsBody,
      let shape = shape(of: place, in: environment, work: work)
    {
      return assemble(place, in: environment) { zIndex in
        let groups = body.groups.following(
          change.itemSplices,
          to: section.items,
          shape: shape,
          work: work
        )
        return SectionItems(MeasuredGroupsBody(groups, zIndex: zIndex))
      }
    }
    guard let body = solved.body as? CompositionalBody,
      shape(of: place, in: environment, work: work) == nil
    else {
      return solve(section, with: template, at: index, plan: plan, in: environment, work: work)
    }
    let builder = GroupStripBuilder(
      template: template,
      items: section.items,
      kinds: plan.kinds,
      environment: environment,
      work: work
    )
    return assemble(
      builder.strips(from: body.strips, splices: change.itemSplices),
      place,
      in: environment,
      work: work
    )
  }

  /// A section that is being solved.
  private struct SectionPlace {
    let template: SectionTemplate
    let section: SectionContents
    let index: Int
    let plan: CompositionalPlan
  }

  /// The items of a section that is being solved.
  struct SectionItems {
    /// nil = there are none to show.
    var body: (any SectionBody)?
    /// How far the items extend beyond the body.
    var overhang: SolvedSection.Overhang
    /// Whether the items follow from the summary of the section's items.
    var isShareable: Bool

    init(
      body: (any SectionBody)? = nil,
      overhang: SolvedSection.Overhang = .none,
      isShareable: Bool
    ) {
      self.body = body
      self.overhang = overhang
      self.isShareable = isShareable
    }

    /// Items with lengths of their own.
    init(_ body: MeasuredGroupsBody) {
      self.init(body: body, overhang: body.overhang, isShareable: false)
    }
  }

  /// The shape of the groups of a section whose items have different lengths; nil = its groups need
  /// patterns.
  private func shape(
    of place: SectionPlace,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> GroupShape? {
    let summary = place.section.items.summary
    let lengths = environment.axis == .vertical ? summary.height : summary.width
    guard lengths == .varying else { return nil }
    return place.template.repeatingGroup(
      kinds: place.plan.kinds,
      environment: environment,
      work: work
    ).shape
  }

  /// Puts a section together from its groups.
  private func assemble(
    _ strips: UniformStrips,
    _ place: SectionPlace,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection {
    let template = place.template
    return assemble(place, in: environment) { zIndex in
      let isShareable = template.followsFromSummary(of: place.section.items)
      guard strips.strip.groupCount > 0 else { return SectionItems(isShareable: isShareable) }
      let body = CompositionalBody(
        strips: strips,
        template: template,
        repeating: template.repeatingGroup(
          kinds: place.plan.kinds,
          environment: environment,
          work: work
        ),
        measuredBadges: MeasuredBadges(
          place.section.measured,
          on: template.section.group,
          kinds: place.plan.kinds,
          pixelGrid: environment.pixelGrid,
          axis: environment.axis
        ),
        environment: environment,
        zIndex: zIndex
      )
      return SectionItems(body: body, overhang: body.overhang, isShareable: isShareable)
    }
  }

  /// Puts a section together from its items.
  ///
  /// - Parameter items: returns the items, with cells at a z-index.
  private func assemble(
    _ place: SectionPlace,
    in environment: SectionEnvironment,
    _ items: (_ zIndex: Int32) -> SectionItems
  ) -> SolvedSection {
    let (template, section, index, plan) = (place.template, place.section, place.index, place.plan)
    let axis = environment.axis
    let backgrounds = template.section.backgrounds.prefix(Limit.backgrounds)
    let others = environment.options.usedSectionBackgrounds
    let own = backgrounds.filter { $0.applies(to: index) }
    // In UIKit any background lifts the items of its section to 1, whatever its own z-index.
    let isLifted = !own.isEmpty || others.contains { $0.applies(to: index) }
    let header = header(of: template, section)
    let items = items(isLifted ? 1 : 0)
    let body = items.body
    // As recorded from UIKit: a section with neither items nor boundary elements has no length and
    // no background; with boundary elements it keeps its insets.
    let isShown = body != nil || !header.elements.isEmpty
    let filled =
      isShown
      ? template.mainInsets.start + (body?.length ?? 0) + template.mainInsets.end : 0
    let contentLength = max(0, filled, header.leastContentLength)
    let bodyMain = header.head + template.mainInsets.start
    let length = header.head + contentLength + header.tail
    var elements = header.sectionElements(
      contentLength: contentLength,
      distances: (plan.global.pinnedHead, plan.global.pinnedTail)
    )
    if isShown {
      let whole = axis.rect(
        AxisRect(main: 0, cross: 0, mainLength: length, crossLength: environment.crossLength)
      )
      for background in own {
        elements.append(
          SectionElement(
            category: .decoration,
            kind: plan.kinds[background.kind] ?? 0,
            frame: axis.axisRect(whole.inset(by: DimensionResolver.insets(background.insets))),
            zIndex: Int32(clamping: background.zIndex),
            custom: background.custom
          )
        )
      }
    }
    return SolvedSection(
      length: length,
      itemCount: section.items.count,
      body: body,
      bodyMain: bodyMain,
      bodyCross: template.isOrthogonal ? 0 : template.crossStart,
      elements: elements,
      overhang: overhang(
        of: elements,
        length: length,
        body: body.map { (items.overhang, bodyMain, $0.length) }
      ),
      hasBackgrounds: isShown,
      isShareable: !template.isIndexed && items.isShareable
    )
  }

  /// The elements at a section's edges. Measured sizes replace estimated lengths; those of headers
  /// and footers are in the section's metrics, which are otherwise ignored.
  private func header(
    of template: SectionTemplate,
    _ section: SectionContents
  ) -> BoundarySolver {
    let (metrics, sizes) = (section.metrics, section.measured.sizes)
    guard metrics.headerSize != nil || metrics.footerSize != nil || !sizes.isEmpty else {
      return template.header
    }
    return template.header.measured { kind in
      switch kind {
      case StandardKind.header: metrics.headerSize
      case StandardKind.footer: metrics.footerSize
      default: sizes[kind]
      }
    }
  }

  /// How far elements and body extend beyond a section, with pinned elements in all their places.
  ///
  /// - Parameter length: of the section, in points.
  private func overhang(
    of elements: [SectionElement],
    length: Double,
    body: (overhang: SolvedSection.Overhang, main: Double, length: Double)?
  ) -> SolvedSection.Overhang {
    var result = SolvedSection.Overhang.none
    for element in elements {
      let low = min(element.frame.main, element.pin?.min ?? element.frame.main)
      let high = max(element.frame.main, element.pin?.max ?? element.frame.main)
      result = result.union(
        SolvedSection.Overhang(
          start: max(0, -low),
          end: max(0, high + element.frame.mainLength - length)
        )
      )
    }
    if let body {
      result = result.union(
        SolvedSection.Overhang(
          start: max(0, body.overhang.start - body.main),
          end: max(0, body.main + body.length + body.overhang.end - length)
        )
      )
    }
    return result
  }
}
