// SPDX-License-Identifier: Apache-2.0
// Layouts to begin with: one at least of each kind that a server has.

const insets = (all) => ({ top: all, leading: all, bottom: all, trailing: all });
const fraction = (value) => ({ fractionalWidth: value });
const item = (width, height) => ({
  item: { size: { width, height }, contentInsets: insets(3) },
});

/** Beside one large item a column of two small ones, and below them a row of three. */
const mosaic = {
  axis: "vertical",
  size: { width: fraction(1), height: fraction(0.8) },
  subitems: [
    {
      group: {
        axis: "horizontal",
        size: { width: fraction(1), height: { fractionalHeight: 0.66 } },
        subitems: [
          item(fraction(0.66), { fractionalHeight: 1 }),
          {
            group: {
              axis: "vertical",
              size: { width: fraction(0.34), height: { fractionalHeight: 1 } },
              subitems: [item(fraction(1), { fractionalHeight: 0.5 })],
              count: 2,
            },
          },
        ],
      },
    },
    {
      group: {
        axis: "horizontal",
        size: { width: fraction(1), height: { fractionalHeight: 0.34 } },
        subitems: [item(fraction(1 / 3), { fractionalHeight: 1 })],
        count: 3,
      },
    },
  ],
};

const header = (kind = "header") => ({
  kind, size: { width: fraction(1), height: { absolute: 36 } }, alignment: "top", pinToVisibleBounds: true,
});

const shelf = {
  group: {
    axis: "horizontal",
    size: { width: { absolute: 180 }, height: { absolute: 130 } },
    subitems: [item(fraction(1), { fractionalHeight: 1 })],
    count: 1,
  },
  contentInsets: insets(12), interGroupSpacing: 6,
  orthogonalScrolling: "continuous_group_leading_boundary",
  boundarySupplementaryItems: [header()],
};

const flow = {
  itemSize: { width: 72, height: 72 }, minimumLineSpacing: 8, minimumInteritemSpacing: 8,
  sectionInset: insets(12), headerReferenceSize: { width: 0, height: 36 },
  sectionHeadersPinToVisibleBounds: true,
};

const waterfall = {
  minimumColumnWidth: 150, columnSpacing: 10, itemSpacing: 10, sectionInset: insets(12), headerHeight: 36,
  headersPinToVisibleBounds: true,
};

const gridLanes = {
  lanes: [{ fraction: 1, minimum: 140, autoFill: true }], laneSpacing: 10, itemSpacing: 10,
  sectionInset: insets(12), headerHeight: 36, headersPinToVisibleBounds: true,
};

const table = {
  columns: [
    { id: "name", width: 200, frozen: "leading" },
    { id: "maker", columns: [{ id: "artist", width: 160, minimum: 60 }, { id: "country", width: 120 }] },
    { id: "year", width: 80 }, { id: "material", width: 180 }, { id: "size", width: 140 }, { id: "place", width: 200 },
    { id: "price", width: 110, frozen: "trailing" },
  ],
  rowHeight: 34, headerHeight: 28, sectionHeaderHeight: 26, sectionHeadersPinToVisibleBounds: true, separatorThickness: 1,
};

const list = {
  rowHeight: 44, headerHeight: 32, headersPinToVisibleBounds: true, separatorThickness: 1,
  separatorInsets: { leading: 16 },
};

const cards = { itemSize: { width: 220, height: 280 } };

/** Of each preset its name, its group and its `LayoutSpec`. */
export const presets = [
  { id: "flow", name: "Flow, headers pinned", group: "Flow", layout: { flow } },
  {
    id: "flow-centered", name: "Flow, centred", group: "Flow",
    layout: { flow: { ...flow, alignment: "center" } },
  },
  {
    id: "flow-horizontal", name: "Flow, horizontal", group: "Flow",
    layout: {
      flow: { ...flow, scrollDirection: "horizontal", headerReferenceSize: { width: 36, height: 0 } },
    },
  },
  { id: "list", name: "List, headers pinned", group: "List", layout: { list } },
  {
    id: "list-effects", name: "List with scroll effects", group: "List",
    layout: {
      list: { rowHeight: 64, rowSpacing: 8, sectionInset: insets(16), headerHeight: 32 },
      scrollEffects: [{
        leading: { values: { alpha: 0.2, scale: 0.8 } }, trailing: { values: { alpha: 0.2, scale: 0.8 } },
      }],
    },
  },
  {
    id: "outline", name: "Outline", group: "List", layout: { list: { rowHeight: 32, separatorThickness: 1 } },
  },
  {
    id: "grid", name: "Grid, a row for each section", group: "Grid",
    layout: { grid: { itemSize: { width: 84, height: 48 }, interitemSpacing: 6, lineSpacing: 6 } },
  },
  { id: "waterfall", name: "Waterfall", group: "Waterfall", layout: { waterfall } },
  {
    id: "waterfall-horizontal", name: "Waterfall, horizontal", group: "Waterfall",
    layout: { waterfall: { ...waterfall, scrollDirection: "horizontal", headersPinToVisibleBounds: false } },
  },
  { id: "grid-lanes", name: "Grid lanes", group: "Grid lanes", layout: { gridLanes } },
  {
    id: "grid-lanes-unequal", name: "Grid lanes of different widths", group: "Grid lanes",
    layout: {
      gridLanes: {
        ...gridLanes, lanes: [{ fraction: 1 }, { length: 120 }, { fraction: 2, minimum: 100 }], flowTolerance: 0,
      },
    },
  },
  { id: "table", name: "Table", group: "Table", layout: { table } },
  {
    id: "table-shares", name: "Table that fills the view", group: "Table",
    layout: {
      table: {
        ...table, columns: [
          { id: "name", share: 2, minimum: 120 }, { id: "artist", share: 1, minimum: 80 }, { id: "year", width: 80 },
        ],
      },
    },
  },
  {
    id: "mosaic", name: "Mosaic of groups", group: "Compositional",
    layout: {
      compositional: {
        sections: [{
          group: mosaic, contentInsets: insets(12), boundarySupplementaryItems: [header()],
          backgrounds: [{ kind: "background", insets: insets(6) }],
        }],
        interSectionSpacing: 16,
      },
    },
  },
  {
    id: "shelves", name: "Shelves that scroll across", group: "Compositional",
    layout: { compositional: { sections: [shelf], interSectionSpacing: 8 } },
  },
  {
    id: "inset-grouped", name: "Inset grouped list", group: "Compositional",
    layout: {
      compositional: { sections: [{ list: { appearance: "inset_grouped", headerMode: "supplementary" } }] },
    },
  },
  {
    id: "line", name: "Line that magnifies", group: "Line",
    layout: { line: { itemSize: { width: 180, height: 180 }, lineSpacing: 40, sectionInset: { top: 40, bottom: 40 } } },
  },
  { id: "circle", name: "Circle", group: "Circle", layout: { circle: { itemSize: { width: 44, height: 44 } } } },
  ...[
    ["cover-flow", "Cover flow", "cover_flow"], ["linear", "Linear", "linear"], ["rotary", "Rotary", "rotary"],
    ["inverted-rotary", "Inverted rotary", "inverted_rotary"], ["cylinder", "Cylinder", "cylinder"],
    ["wheel", "Wheel", "wheel"], ["time-machine", "Time machine", "time_machine"],
  ].map(([id, name, style]) => (
    { id, name, group: "Carousel", layout: { carousel: { style, ...cards } } })),
  {
    id: "stack", name: "Stack of cards", group: "Stack", layout: { stack: { ...cards, visibleDepth: 4 } },
  },
  {
    id: "map", name: "Map (Mercator)", group: "Spatial",
    layout: { spatial: { projection: "web_mercator", zoom: 3, itemSize: { width: 10, height: 10 } } },
  },
  {
    id: "map-clusters", name: "Map with clusters", group: "Spatial",
    layout: {
      spatial: { projection: "web_mercator", zoom: 3, itemSize: { width: 10, height: 10 }, clusters: { minimumCount: 3 } },
    },
  },
  {
    id: "sections", name: "Sections of different kinds", group: "Sections",
    layout: {
      sections: {
        layouts: [
          { name: "flow", flow }, { name: "shelf", compositional: shelf },
          { name: "list", list: { ...list, headerHeight: 32 } }, { name: "waterfall", waterfall },
        ],
        interSectionSpacing: 12,
      },
    },
  },
  {
    id: "responsive", name: "By the width of the view", group: "Responsive",
    layout: {
      responsive: {
        variants: [
          { condition: { belowWidth: 480 }, layout: { list } },
          { condition: { belowWidth: 900 }, layout: { flow } },
        ],
        otherwise: { waterfall },
        animated: true,
      },
    },
  },
];

/** The preset with an identifier, or undefined. */
export function presetNamed(id) {
  return presets.find((each) => each.id === id);
}

/** A layout of a kind to begin with: that of a preset, or nothing but the kind. */
export function layoutOfKind(kind) {
  const preset = presets.find(({ layout }) => layout[kind] !== undefined);
  return structuredClone(preset?.layout ?? { [kind]: {} });
}

/** The kind of a `LayoutSpec`. */
export function kindOf(layout) {
  return KINDS.find((kind) => layout?.[kind] !== undefined) ?? "";
}

const KINDS = [
  "flow", "list", "grid", "waterfall", "compositional", "line", "circle", "carousel", "stack", "spatial",
  "sections", "responsive", "gridLanes", "table", "custom",
];
