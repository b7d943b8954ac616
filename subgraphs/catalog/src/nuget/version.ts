import { compareParts, type FourParts, parseParts, trimParts } from "./four-parts.js";

/** A NuGet version: SemVer 2.0.0 with an optional fourth part. Build metadata is dropped, it never counts. */
export interface NugetVersion {
  readonly parts: FourParts;
  readonly labels: readonly string[];
}

const versionForm = /^([\d.]+)(?:-([0-9a-z.-]+))?(?:\+([0-9a-z.-]+))?$/i;

export function parseVersion(text: string): NugetVersion | undefined {
  const [, numbers = "", release, metadata] = versionForm.exec(text.trim()) ?? [];
  const parts = parseParts(numbers);
  const labels = release?.split(".") ?? [];
  if (parts === undefined || labels.includes("") || metadata?.split(".").includes("")) return undefined;
  return { parts, labels };
}

/** The normalised text: at least three parts, a fourth only when it is not 0. */
export function formatVersion({ parts, labels }: NugetVersion): string {
  const number = trimParts(parts, 3).join(".");
  return labels.length === 0 ? number : `${number}-${labels.join(".")}`;
}

export function isPrerelease(version: NugetVersion): boolean {
  return version.labels.length > 0;
}

/** Orders by SemVer 2.0.0 section 11, over four parts and ignoring the case of labels. */
export function compareVersions(a: NugetVersion, b: NugetVersion): number {
  return compareParts(a.parts, b.parts) || compareReleases(a.labels, b.labels);
}

function compareReleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (const [index, label] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const order = compareLabels(label, other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareLabels(a: string, b: string): number {
  const numericA = /^\d+$/.test(a);
  const numericB = /^\d+$/.test(b);
  if (numericA && numericB) return compareNumbers(a.replace(/^0+(?=\d)/, ""), b.replace(/^0+(?=\d)/, ""));
  if (numericA !== numericB) return numericA ? -1 : 1;
  return compareText(a.toLowerCase(), b.toLowerCase());
}

// labels such as 20261104183005123456 pass the safe integers: compare the digits
function compareNumbers(a: string, b: string): number {
  return a.length - b.length || compareText(a, b);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
