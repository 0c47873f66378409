// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

extension ItemBlock {
  /// Whether `check` would report nothing. Faster, since it builds no paths.
  ///
  /// - Complexity: O(values)
  func isValid(kindCount: Int, limits: ContentsLimits) -> Bool {
    func isComplete(_ found: Int) -> Bool { found == 0 || found == 1 || found == count }
    func areLengths(_ values: [Double]) -> Bool {
      isComplete(values.count) && values.allSatisfy { $0 >= 0 && $0 <= Rect.greatestLength }
    }
    return count >= 0 && count <= limits.items && areLengths(widths) && areLengths(heights)
      && isComplete(xs.count) && xs.allSatisfy { $0.magnitude <= Rect.greatestLength }
      && isComplete(ys.count) && ys.allSatisfy { $0.magnitude <= Rect.greatestLength }
      && isComplete(cellKinds.count) && cellKinds.allSatisfy { $0 >= 0 && $0 < kindCount }
      && (keys.isEmpty || keys.count == count)
      && keys.allSatisfy { !$0.isEmpty && $0.utf8.count <= limits.keyBytes }
      && isComplete(data.count) && data.allSatisfy { $0.utf8.count <= limits.itemDataBytes }
      && isComplete(outline.levels.count) && isComplete(outline.expanded.count)
      && isComplete(outline.expandable.count)
      && outline.levels.allSatisfy { $0 >= 0 && $0 <= OutlineItem.highestLevel }
  }

  /// Reports values that no collection may contain. Whether keys are unique is checked elsewhere.
  ///
  /// - Parameter kindCount: how many cell kinds there are.
  /// - Parameter path: the path of the block, for the report.
  /// - Complexity: O(values)
  func check(
    kindCount: Int,
    limits: ContentsLimits,
    path: String,
    into violations: inout Violations
  ) {
    guard count >= 0, count <= limits.items else {
      violations.add(
        count < 0 ? .fieldInvalid : .quotaItems,
        "\(path).count",
        "\(count) items; a collection has at most \(limits.items)"
      )
      return
    }
    check(widths, "\(path).widths", isLength: true, &violations)
    check(heights, "\(path).heights", isLength: true, &violations)
    check(xs, "\(path).xs", isLength: false, &violations)
    check(ys, "\(path).ys", isLength: false, &violations)
    if checkCount(cellKinds.count, "\(path).cell_kinds", &violations),
      let bad = cellKinds.firstIndex(where: { $0 < 0 || $0 >= kindCount })
    {
      violations.add(
        .fieldInvalid,
        "\(path).cell_kinds[\(bad)]",
        "kind \(cellKinds[bad]); there are \(kindCount), counted from 0"
      )
    }
    checkKeys(limits: limits, path: path, &violations)
    checkOutline(path: "\(path).outline", &violations)
    checkData(limits: limits, path: "\(path).data", &violations)
  }

  private func checkOutline(path: String, _ violations: inout Violations) {
    if outline.isEmpty { return }
    _ = checkCount(outline.expanded.count, "\(path).expanded", &violations)
    _ = checkCount(outline.expandable.count, "\(path).expandable", &violations)
    let levels = 0 ... OutlineItem.highestLevel
    if checkCount(outline.levels.count, "\(path).levels", &violations),
      let bad = outline.levels.firstIndex(where: { !levels.contains($0) })
    {
      violations.add(
        .fieldInvalid,
        "\(path).levels[\(bad)]",
        "level \(outline.levels[bad]); allowed are 0 to \(OutlineItem.highestLevel)"
      )
    }
  }

  private func checkData(limits: ContentsLimits, path: String, _ violations: inout Violations) {
    let most = limits.itemDataBytes
    if checkCount(data.count, path, &violations),
      let bad = data.firstIndex(where: { $0.utf8.count > most })
    {
      violations.add(
        .fieldInvalid,
        "\(path)[\(bad)]",
        "\(data[bad].utf8.count) bytes; allowed are up to \(most)"
      )
    }
  }

  private func checkCount(_ found: Int, _ field: String, _ violations: inout Violations) -> Bool {
    if found == 0 || found == 1 || found == count { return true }
    violations.add(
      .fieldInvalid,
      field,
      "\(found) values for \(count) items; allowed are 0, 1 or \(count)"
    )
    return false
  }

  private func check(
    _ values: [Double],
    _ field: String,
    isLength: Bool,
    _ violations: inout Violations
  ) {
    guard checkCount(values.count, field, &violations) else { return }
    if let bad = values.firstIndex(where: { !isAllowed($0, isLength: isLength) }) {
      violations.add(
        .fieldInvalid,
        "\(field)[\(bad)]",
        "\(values[bad]); \(allowed(isLength: isLength))"
      )
    }
  }

  private func checkKeys(limits: ContentsLimits, path: String, _ violations: inout Violations) {
    if keys.isEmpty { return }
    guard keys.count == count else {
      violations.add(
        .fieldInvalid,
        "\(path).keys",
        "\(keys.count) keys for \(count) items; none or one for each"
      )
      return
    }
    let range = 1 ... max(limits.keyBytes, 1)
    if let bad = keys.firstIndex(where: { !range.contains($0.utf8.count) }) {
      violations.add(
        .fieldInvalid,
        "\(path).keys[\(bad)]",
        "\(keys[bad].utf8.count) bytes; allowed are 1 to \(limits.keyBytes)"
      )
    }
  }
}

extension SectionMetrics {
  /// Reports numbers that are too large or no numbers, and negative sizes.
  ///
  /// - Parameter path: the path of the metrics, for the report.
  func check(path: String, into violations: inout Violations) {
    func check(_ value: Double?, _ field: String, isLength: Bool = false) {
      guard let value, !isAllowed(value, isLength: isLength) else { return }
      violations.add(
        .fieldInvalid,
        "\(path).\(field)",
        "\(value); \(allowed(isLength: isLength))"
      )
    }
    check(inset?.top, "inset.top")
    check(inset?.leading, "inset.leading")
    check(inset?.bottom, "inset.bottom")
    check(inset?.trailing, "inset.trailing")
    check(lineSpacing, "line_spacing")
    check(interitemSpacing, "interitem_spacing")
    check(headerSize?.width, "header_size.width", isLength: true)
    check(headerSize?.height, "header_size.height", isLength: true)
    check(footerSize?.width, "footer_size.width", isLength: true)
    check(footerSize?.height, "footer_size.height", isLength: true)
  }
}

/// Whether a length or a position is a number within `Rect.greatestLength`, so that layouts can add
/// them up.
private func isAllowed(_ value: Double, isLength: Bool) -> Bool {
  value.magnitude <= Rect.greatestLength && (value >= 0 || !isLength)
}

/// What `isAllowed` allows, for reports.
private func allowed(isLength: Bool) -> String {
  isLength ? "numbers from 0 to 2^40 are allowed" : "numbers from -2^40 to 2^40 are allowed"
}

/// Reports the key of a section that is too long. Unlike an item's key it may be empty.
func checkSectionKey(
  _ key: String,
  limits: ContentsLimits,
  path: String,
  into violations: inout Violations
) {
  if key.utf8.count > limits.keyBytes {
    violations.add(
      .fieldInvalid,
      path,
      "\(key.utf8.count) bytes; allowed are up to \(limits.keyBytes)"
    )
  }
}
