// SPDX-License-Identifier: Apache-2.0
// Contents for visitors who have none. A session of one's own shows them, so nobody else sees them and the
// server keeps nothing.

/** Numbers that look random and are always the same. */
export function* randomNumbers(seed) {
  let state = seed >>> 0;
  for (;;) {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    yield ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  }
}

function take(numbers, count, map) {
  return Array.from({ length: count }, () => map(numbers.next().value));
}

/** Sections of equal items: only their number is sent, whatever it is. */
function counted(sections, items) {
  return {
    sections: Array.from({ length: sections }, (_, index) => (
      { key: `section-${index}`, blocks: [{ count: items }] })),
  };
}

/** Photographs: items with a width and a height of their own. */
function photos(sections, items) {
  const numbers = randomNumbers(7);
  return {
    sections: Array.from({ length: sections }, (_, index) => ({
      key: `album-${index}`,
      blocks: [{
        count: items,
        widths: take(numbers, items, (value) => 80 + Math.round(value * 160)),
        heights: take(numbers, items, (value) => 60 + Math.round(value * 140)),
        keys: Array.from({ length: items }, (_, item) => `photo-${index}-${item}`),
      }],
    })),
  };
}

/** A tree of folders, three levels deep. */
function outline(roots) {
  const keys = [], levels = [], expanded = [];
  const add = (key, level, isExpanded) => {
    keys.push(key);
    levels.push(level);
    expanded.push(isExpanded);
  };
  for (let root = 0; root < roots; root += 1) {
    add(`folder ${root}`, 0, root % 3 === 0);
    for (let child = 0; child < 6; child += 1) {
      add(`folder ${root}/${child}`, 1, child === 1);
      for (let leaf = 0; leaf < 5; leaf += 1) add(`file ${root}/${child}/${leaf}`, 2, false);
    }
  }
  return {
    sections: [{
      key: "tree", outline: { expansion: "per_viewer" },
      blocks: [{ count: keys.length, keys, outline: { levels, expanded } }],
    }],
  };
}

/** Places around some towns, as longitude and latitude. */
function places(count) {
  const numbers = randomNumbers(11), towns = take(numbers, 40, (value) => value), xs = [], ys = [];
  for (let index = 0; index < count; index += 1) {
    const town = index % 20, [first, second] = [numbers.next().value, numbers.next().value];
    const distance = 26 * first ** 3, angle = second * 2 * Math.PI;
    xs.push(Math.max(-180, Math.min(180, towns[town] * 300 - 150 + distance * Math.cos(angle))));
    ys.push(Math.max(-80, Math.min(80, towns[town + 20] * 120 - 60 + distance * Math.sin(angle))));
  }
  return { sections: [{ key: "places", blocks: [{ count, xs, ys }] }] };
}

/** Of each sample its name, the preset that shows it first, and its contents. */
export const samples = [
  {
    id: "ten-million", name: "Ten million items", note: "10,000 sections of 1,000", preset: "flow",
    contents: () => counted(10_000, 1_000),
  },
  {
    id: "photos", name: "Photographs", note: "24,000 of different sizes", preset: "waterfall",
    contents: () => photos(12, 2_000),
  },
  {
    id: "outline", name: "An outline", note: "folders that expand", preset: "outline",
    contents: () => outline(400),
  },
  {
    id: "places", name: "Places", note: "20,000 on a map", preset: "map", contents: () => places(20_000),
  },
  {
    id: "cards", name: "Cards", note: "five decks of 20", preset: "cover-flow",
    contents: () => counted(5, 20),
  },
];

/** The sample with an identifier, or undefined. */
export function sampleNamed(id) {
  return samples.find((each) => each.id === id);
}
