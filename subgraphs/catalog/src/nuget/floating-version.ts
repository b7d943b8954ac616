import { isPrerelease, type NugetVersion, parseVersion } from "./version.js";

/** The floating half of a range such as `1.2.*` or `1.*-rc*`: which versions it wants the highest of. */
export interface FloatingVersion {
  /** The lowest version that the float stands for. */
  readonly least: NugetVersion;
  /** How many leading number parts are fixed. */
  readonly fixedParts: number;
  /** The required beginning of the prerelease text, or undefined where only stable versions are wanted. */
  readonly releasePrefix: string | undefined;
}

const floatForm = /^(?:(\*)|(\d+(?:\.\d+){0,2})\.\*|(\d+(?:\.\d+){0,3}))(?:-([0-9a-z.-]*)\*)?$/i;

export function parseFloatingVersion(text: string): FloatingVersion | undefined {
  const match = floatForm.exec(text);
  if (match === null) return undefined;
  const [, all, floating, fixed, releasePrefix] = match;
  if (fixed !== undefined && releasePrefix === undefined) return undefined;
  const numbers = all === undefined ? (floating ?? fixed ?? "") : "0";
  const least = parseVersion(releasePrefix === undefined ? numbers : `${numbers}-${lowestRelease(releasePrefix)}`);
  if (least === undefined) return undefined;
  const fixedParts = fixed === undefined ? (floating?.split(".").length ?? 0) : 4;
  return { least, fixedParts, releasePrefix: releasePrefix?.toLowerCase() };
}

// an empty label is no version, and 0 is the lowest label of all
function lowestRelease(prefix: string): string {
  return prefix === "" || prefix.endsWith(".") ? `${prefix}0` : prefix;
}

/** Is the version one of those the float stands for? A float over prereleases takes the stable ones too. */
export function floatsTo({ least, fixedParts, releasePrefix }: FloatingVersion, version: NugetVersion): boolean {
  for (let part = 0; part < fixedParts; part += 1) if (least.parts[part] !== version.parts[part]) return false;
  if (!isPrerelease(version)) return true;
  return releasePrefix !== undefined && version.labels.join(".").toLowerCase().startsWith(releasePrefix);
}
