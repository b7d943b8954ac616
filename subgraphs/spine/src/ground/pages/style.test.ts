import { style } from "./style.js";

/** WCAG 2.2, relative luminance. */
function luminance(colour: string): number {
  const hex = colour.length === 4 ? colour.replaceAll(/[0-9a-f]/g, "$&$&") : colour;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(hex.slice(start, start + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(first: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(first), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const themes = [...style.matchAll(/:root\{([^}]*)\}/g)].map(([, declarations = ""]) =>
  Object.fromEntries([...declarations.matchAll(/--([\w-]+):(#[0-9a-f]+)/g)].map(([, name, value]) => [name, value])),
);

describe.each([
  ["light", 0],
  ["dark", 1],
])("the %s colours", (_, theme) => {
  const colour = (name: string) => themes[theme]?.[name] ?? "";

  it.each([
    ["text", "card"],
    ["text", "page"],
    ["text", "bad-page"],
    ["quiet", "card"],
    ["bad", "card"],
    ["bad", "bad-page"],
    ["on-act", "act"],
    ["on-act", "act-over"],
    ["act", "card"],
  ])("let %s be read on %s", (text, ground) => {
    expect(contrast(colour(text), colour(ground))).toBeGreaterThanOrEqual(4.5);
  });

  it.each([
    ["line", "card"],
    ["focus", "card"],
    ["focus", "page"],
  ])("let %s be seen on %s", (shape, ground) => {
    expect(contrast(colour(shape), colour(ground))).toBeGreaterThanOrEqual(3);
  });
});
