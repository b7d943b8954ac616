import axe from "axe-core";
import type { Page } from "puppeteer-core";

/** A rule that a page breaks, and where. */
export interface AccessibilityFinding {
  readonly rule: string;
  readonly impact: string;
  /** Selectors of the elements, and whether all of them are in the foreign part. */
  readonly places: readonly string[];
  readonly isForeign: boolean;
}

/** The findings of axe-core in the whole page, by all rules or by these. A library may draw a part of it. */
export async function accessibilityFindings(
  page: Page,
  foreignPart = "none",
  rules?: readonly string[],
): Promise<AccessibilityFinding[]> {
  await page.evaluate(axe.source);
  const options = rules ? { runOnly: { type: "rule", values: rules } } : {};
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as axe.AxeResults;
  const places = violations.flatMap(({ nodes }) => nodes.map(({ target }) => target.join(" ")));
  const isForeign = (await page.evaluate(
    `${JSON.stringify(places)}.map((place) => document.querySelector(place)?.closest(${JSON.stringify(foreignPart)}) != null)`,
  )) as boolean[];
  const foreignPlaces = new Set(places.filter((_, index) => isForeign[index]));
  return violations.map(({ id, impact, nodes }) => {
    const targets = nodes.map(({ target }) => target.join(" "));
    const foreign = targets.every((place) => foreignPlaces.has(place));
    return { rule: id, impact: String(impact), places: targets, isForeign: foreign };
  });
}
