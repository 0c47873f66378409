// SPDX-License-Identifier: Apache-2.0

package import CollectionModel

/// What is wrong with a change from one state of the model to another; nil when nothing is.
package func fault(
  in change: ContentsChange,
  from old: ReferenceModel,
  to new: ReferenceModel
) -> String? {
  if let broken = change.new.brokenInvariant() { return broken }
  if change.new.sectionCount != new.sections.count { return "\(change.new.sectionCount) sections" }
  for (i, section) in new.sections.enumerated() {
    let found = change.new.section(at: i)
    if found.key != section.key { return "key of section \(i)" }
    if found.metrics != section.metrics { return "metrics of section \(i)" }
    if found.items.count != section.items.count { return "count of section \(i)" }
    for (j, item) in section.items.enumerated() where found.items.item(at: j) != item.values {
      return "item \(j) of section \(i): \(found.items.item(at: j)), not \(item.values)"
    }
  }
  for (i, section) in old.sections.enumerated() {
    let before = change.old.section(at: i).items
    for (j, item) in section.items.enumerated() where before.item(at: j) != item.values {
      return "the old contents changed: item \(j) of section \(i)"
    }
  }
  return mappingFault(change, old, new) ?? spliceFault(change, old, new)
    ?? keyFault(change.new, new)
}

private func mappingFault(
  _ change: ContentsChange,
  _ old: ReferenceModel,
  _ new: ReferenceModel
) -> String? {
  var newPaths: [Int: IndexPath] = [:]
  var places: [Int: IndexPath] = [:]
  var reconfigured: Set<IndexPath> = []
  for (i, section) in new.sections.enumerated() {
    newPaths[section.identity] = IndexPath(section: i)
    if let replaced = section.replaced { places[replaced] = IndexPath(section: i) }
    for (j, item) in section.items.enumerated() {
      let path = IndexPath(section: i, item: j)
      newPaths[item.identity] = path
      if let replaced = item.replaced { places[replaced] = path }
      if item.isReconfigured { reconfigured.insert(path) }
    }
  }
  var oldPaths: [Int: IndexPath] = [:]
  func forward(_ identity: Int, _ path: IndexPath) -> String? {
    oldPaths[identity] = path
    if change.newIndexPath(ofOld: path) != newPaths[identity] { return "new path of \(path)" }
    let place = newPaths[identity] ?? places[identity]
    return change.newPlace(ofOld: path) == place ? nil : "new place of \(path)"
  }
  for (i, section) in old.sections.enumerated() {
    if let fault = forward(section.identity, IndexPath(section: i)) { return fault }
    for (j, item) in section.items.enumerated() {
      if let fault = forward(item.identity, IndexPath(section: i, item: j)) { return fault }
    }
  }
  for (identity, path) in newPaths where change.oldIndexPath(ofNew: path) != oldPaths[identity] {
    return "old path of \(path)"
  }
  for path in newPaths.values
  where path.item != nil && change.isReconfigured(new: path) != reconfigured.contains(path) {
    return "whether \(path) is reconfigured"
  }
  return nil
}

/// Calls `body` with the pairs that correspond outside of the splices; a description if they are
/// not sorted, disjoint and complete.
private func spliceFault(
  _ splices: [Splice],
  old: Int,
  new: Int,
  _ body: (Int, Int) -> String?
) -> String? {
  var (i, j) = (0, 0)
  for splice in splices + [Splice(old: old ..< old, new: new ..< new)] {
    if splice.old.lowerBound - i != splice.new.lowerBound - j || splice.old.lowerBound < i {
      return "splices \(splices) for \(old) and \(new)"
    }
    while i < splice.old.lowerBound {
      if let fault = body(i, j) { return fault }
      i += 1
      j += 1
    }
    (i, j) = (splice.old.upperBound, splice.new.upperBound)
  }
  return nil
}

private func spliceFault(
  _ change: ContentsChange,
  _ old: ReferenceModel,
  _ new: ReferenceModel
) -> String? {
  var rest = change.changedSections[...]
  return spliceFault(
    change.sectionSplices,
    old: old.sections.count,
    new: new.sections.count
  ) { i, j in
    let (before, after) = (old.sections[i], new.sections[j])
    if before.identity != after.identity { return "section \(i) is not section \(j)" }
    var splices: [Splice] = []
    var metricsChanged = false
    if let first = rest.first, first.newIndex == j {
      if first.oldIndex != i { return "old index of changed section \(j)" }
      splices = first.itemSplices
      metricsChanged = first.metricsChanged
      rest.removeFirst()
    }
    if metricsChanged != (before.metrics != after.metrics) { return "metrics of section \(j)" }
    return spliceFault(splices, old: before.items.count, new: after.items.count) { k, l in
      let (a, b) = (before.items[k], after.items[l])
      return a.identity == b.identity && a.values == b.values ? nil : "item \(l) of section \(j)"
    }
  } ?? (rest.isEmpty ? nil : "changed sections left over")
}

private func keyFault(_ contents: CollectionContents, _ model: ReferenceModel) -> String? {
  for (i, section) in model.sections.enumerated() {
    if !section.key.isEmpty && contents.sectionIndex(ofKey: section.key) != i {
      return "section by key \(section.key)"
    }
    for (j, item) in section.items.enumerated() {
      let path = IndexPath(section: i, item: j)
      if contents.key(at: path) != item.values.key { return "key at \(path)" }
      if let key = item.values.key, contents.indexPath(ofItemKey: key) != path {
        return "item by key \(key): \(contents.indexPath(ofItemKey: key) as Any), not \(path)"
      }
    }
  }
  return nil
}
