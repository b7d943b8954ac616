import { compareText } from "../text-order.js";
import { compareParts, type FourParts, parseParts, trimParts } from "./four-parts.js";

/** A NuGet version: SemVer 2.0.0 with an optional fourth part. Comparisons ignore the build metadata. */
export interface NugetVersion {
  readonly parts: FourParts;
  readonly labels: readonly string[];
  readonly metadata?: string;
}

const versionForm = /^([\d.\s]+)(?:-([0-9a-z.-]+))?(?:\+([0-9a-z.-]+))?$/i;

const commonForm = /^\d{1,9}\.\d{1,9}\.\d{1,9}$/;
const none: readonly string[] = [];

/** Parses a NuGet version such as `1.4.0`, `1.2.3.4` or `2.0.0-beta.1+build`; undefined for any other text. */
export function parseVersion(text: string): NugetVersion | undefined {
  // almost every version has this form, and thousands are parsed at once
  if (commonForm.test(text)) {
    const [first, second] = [text.indexOf("."), text.lastIndexOf(".")];
    return { parts: [+text.slice(0, first), +text.slice(first + 1, second), +text.slice(second + 1), 0], labels: none };
  }
  const [, numbers = "", release, metadata] = versionForm.exec(text.trim()) ?? [];
  // NuGet allows spaces around a number, but not inside it
  const parts = parseParts(numbers.replace(/\s*\.\s*/g, ".").trim());
  const labels = release?.split(".") ?? [];
  if (parts === undefined || !labels.every(isLabel) || metadata?.split(".").includes("")) return undefined;
  return { parts, labels, ...(metadata === undefined ? {} : { metadata }) };
}

// SemVer 2.0.0, section 9: a label is not empty, and a number has no leading zero
function isLabel(label: string): boolean {
  return label !== "" && !/^0\d+$/.test(label);
}

/** The normalized text: at least three parts, and a fourth only when it is not 0. */
export function formatVersion({ parts, labels }: NugetVersion): string {
  const number = trimParts(parts, 3).join(".");
  return labels.length === 0 ? number : `${number}-${labels.join(".")}`;
}

/** The normalized text with the build metadata. */
export function formatFullVersion(version: NugetVersion): string {
  return formatVersion(version) + (version.metadata === undefined ? "" : `+${version.metadata}`);
}

/** Whether only clients with SemVer 2.0.0 support can use it: dots in the prerelease, or build metadata. */
export function isSemVer2({ labels, metadata }: NugetVersion): boolean {
  return labels.length > 1 || metadata !== undefined;
}

/** Whether the version has prerelease labels. */
export function isPrerelease(version: NugetVersion): boolean {
  return version.labels.length > 0;
}

/** Compares by SemVer 2.0.0, section 11, over four parts, ignoring the labels' case: negative where `a` is lower. */
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
  if (numericA && numericB) return compareNumbers(a, b);
  if (numericA !== numericB) return numericA ? -1 : 1;
  return compareText(a.toLowerCase(), b.toLowerCase());
}

// labels such as 20261104183005123456 exceed the safe integers, so their digits are compared
function compareNumbers(a: string, b: string): number {
  return a.length - b.length || compareText(a, b);
}
