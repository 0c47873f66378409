// SPDX-License-Identifier: Apache-2.0
// What a session has applied, as the opening of the one that would follow it has it.

// More keys than servers accept by default would end the session where it could go on.
const MOST_KEYS = 10_000;
// Servers accept as many offsets of sections. The newest are kept.
const MOST_OFFSETS = 4096;

/** Puts the fields of a viewport change over those of an older one. */
export function mergeViewport(into, change) {
  const newer = change.sectionOffsets ?? [], named = new Set(newer.map((each) => each.section));
  const offsets = [...(into.sectionOffsets ?? []).filter((each) => !named.has(each.section)), ...newer];
  // The frame is the one in which the offset was read.
  const frame = into.contentOffset && !change.contentOffset ? into.observedFrameSeq : change.observedFrameSeq;
  Object.assign(into, change);
  if (frame !== undefined) into.observedFrameSeq = frame;
  if (offsets.length > 0) into.sectionOffsets = offsets.slice(-MOST_OFFSETS);
}

/** The changes of columns after another one. */
export function mergedTable(table, { reset, columns: changes = [], order }) {
  const before = reset ? {} : table ?? {};
  const columns = new Map((before.columns ?? []).map((each) => [each.id, each]));
  for (const change of changes) {
    // Without fields a column is as the layout has it.
    const isChanged = Object.entries(change).some(([name, value]) => name !== "id" && value !== undefined);
    if (isChanged) columns.set(change.id, change);
    else columns.delete(change.id);
  }
  return { columns: [...columns.values()], order: order ?? before.order };
}

/** What is expanded after another change; what is below the items that it names is not known here. */
export function mergedExpansions(expansions = {}, { expand = [], collapse = [] }) {
  const expanded = movedKeys(expansions.expanded, expand, collapse);
  const collapsed = movedKeys(expansions.collapsed, collapse, expand);
  const extra = Math.max(0, expanded.length + collapsed.length - MOST_KEYS);
  (expanded.length > collapsed.length ? expanded : collapsed).splice(0, extra);
  return { ...expansions, expanded, collapsed };
}

function movedKeys(keys = [], added, removed) {
  const moved = new Set([...added, ...removed]);
  return [...keys.filter((key) => !moved.has(key)), ...new Set(added)];
}
