import { compareVersions, formatVersion, type NugetVersion, parseVersion } from "../versions/version.js";
import type { EvaluationInput } from "./evaluate-input.js";
import type { KnownLibrary, Release, Snapshot } from "./package-snapshot.js";

/** One package and version of the set; what is listed twice in the same version is one entry. */
export interface Entry {
  readonly key: string;
  readonly packageName: string;
  readonly text: string;
  readonly version: NugetVersion | undefined;
  readonly library: KnownLibrary | undefined;
  readonly release: Release | undefined;
  readonly listed: number;
}

/** The listed packages by name, the highest version first. */
export function entriesOf({ libraries }: EvaluationInput, snapshot: Snapshot): Entry[] {
  const entries = new Map<string, Entry>();
  // sorted first, so that of several spellings the same one names the entry
  for (const { packageName, version: text } of libraries.toSorted(bySpelling)) {
    const key = packageName.toLowerCase();
    const version = parseVersion(text);
    const identity = `${key}|${version === undefined ? text : formatVersion(version).toLowerCase()}`;
    const same = entries.get(identity);
    const library = snapshot.library(key);
    const release = version && library?.releases.find((one) => compareVersions(one.version, version) === 0);
    entries.set(identity, {
      key,
      packageName: library?.packageName ?? same?.packageName ?? packageName,
      text: release?.text ?? same?.text ?? text,
      version,
      library,
      release,
      listed: (same?.listed ?? 0) + 1,
    });
  }
  return [...entries.values()].sort((a, b) => compareText(a.key, b.key) || compareEntryVersions(a, b));
}

interface Listed {
  packageName: string;
  version: string;
}

function bySpelling(a: Listed, b: Listed): number {
  return compareText(a.packageName, b.packageName) || compareText(a.version, b.version);
}

// highest first
function compareEntryVersions(a: Entry, b: Entry): number {
  return a.version && b.version ? compareVersions(b.version, a.version) : compareText(b.text, a.text);
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

export function entryName({ packageName, text }: Entry): string {
  return `${packageName} ${text}`;
}
