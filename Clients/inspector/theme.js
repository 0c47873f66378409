// SPDX-License-Identifier: Apache-2.0
// The colours of the page as the canvases need them.

import { PALETTE } from "./scene.js";

/** A colour of hue (0 to 1), saturation and lightness as three numbers from 0 to 1. */
export function rgbOf(hue, saturation, lightness) {
  const amplitude = saturation * Math.min(lightness, 1 - lightness);
  return [0, 8, 4].map((offset) => {
    const position = (offset + hue * 12) % 12;
    return lightness - amplitude * Math.max(-1, Math.min(position - 3, 9 - position, 1));
  });
}

/** The colours of elements: twelve hues of five shades, then supplementary elements, then decorations. */
export function paletteOf(isDark) {
  const colors = new Float32Array((PALETTE + 2) * 3);
  for (let hue = 0; hue < 12; hue += 1) {
    for (let shade = 0; shade < 5; shade += 1) {
      const lightness = isDark ? 0.38 + shade * 0.035 : 0.68 + shade * 0.035;
      const turned = ((hue * 30 + 212 + shade * 3) % 360) / 360;
      colors.set(rgbOf(turned, isDark ? 0.42 : 0.54, lightness), (hue * 5 + shade) * 3);
    }
  }
  colors.set(isDark ? [0.17, 0.19, 0.23] : [0.85, 0.88, 0.93], PALETTE * 3);
  colors.set(isDark ? [0.24, 0.27, 0.32] : [0.8, 0.83, 0.88], (PALETTE + 1) * 3);
  return colors;
}

/** What is drawn over elements, from the page's own colours. */
export function overlayTheme(element) {
  const style = getComputedStyle(element), color = (name) => style.getPropertyValue(name).trim();
  return {
    text: color("--text"), label: color("--label"), bar: color("--bar"), accent: color("--accent"),
    onAccent: color("--on-accent"), hover: color("--text"), coverage: color("--coverage"),
    overscan: color("--overscan"), anchor: color("--anchor"), shade: color("--shade"), viewport: color("--accent"),
  };
}
