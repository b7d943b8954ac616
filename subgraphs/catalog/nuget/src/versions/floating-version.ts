import { isPrerelease, type NugetVersion, parseVersion } from "./version.js";

/** A range's floating part, such as `1.2.*` or `1.*-rc*`: a restore takes the highest version that matches it. */
export interface FloatingVersion {
  /** The lowest version that matches. */
  readonly least: NugetVersion;
  /** How many leading number parts are fixed. */
  readonly fixedParts: number;
  /** The prerelease text's required beginning, or undefined where only stable versions are wanted. */
  readonly releasePrefix: string | undefined;
}

// the number, the star in it, and the prerelease with a star at its end
const floatForm = /^\s*([\d.]*)(\*)?(?:-([0-9a-z.-]*)\*)?$/i;

/** Parses a text with a star. The result has no `floating` for a plain lower bound: NuGet reads `1*` as 10.0. */
export function parseStar(text: string): { least: NugetVersion; floating: FloatingVersion | undefined } | undefined {
  const [, numbers = "", star, releasePrefix] = floatForm.exec(text) ?? [];
  if (star === undefined && releasePrefix === undefined) return undefined;
  // a star stands for the lowest digit: 1.2* begins at 1.20
  const number = star === undefined ? numbers : `${numbers}0`;
  const least = parseVersion(releasePrefix === undefined ? number : `${number}-${lowestRelease(releasePrefix)}`);
  if (least === undefined) return undefined;
  const fixedParts = star === undefined ? 4 : number.split(".").length - 1;
  const bare = numbers !== "" && fixedParts === 0 && releasePrefix === undefined;
  return { least, floating: bare ? undefined : { least, fixedParts, releasePrefix } };
}

// an empty label is not valid, and 0 is the lowest label
function lowestRelease(prefix: string): string {
  return prefix === "" || prefix.endsWith(".") ? `${prefix}0` : prefix;
}

/** Whether the version matches the floating part. One that floats over prereleases also matches stable versions. */
export function floatsTo({ least, fixedParts, releasePrefix }: FloatingVersion, version: NugetVersion): boolean {
  for (let part = 0; part < fixedParts; part += 1) if (least.parts[part] !== version.parts[part]) return false;
  if (!isPrerelease(version)) return true;
  return releasePrefix !== undefined && version.labels.join(".").toLowerCase().startsWith(releasePrefix.toLowerCase());
}

/** Formats the floating part as NuGet does: `1.2.*`, `1.0.0-beta*`, `*-*`. */
export function formatFloating({ least, fixedParts, releasePrefix }: FloatingVersion): string {
  const release = releasePrefix === undefined ? "" : `-${releasePrefix}*`;
  if (fixedParts === 4) return `${least.parts.slice(0, least.parts[3] === 0 ? 3 : 4).join(".")}${release}`;
  return `${[...least.parts.slice(0, fixedParts), "*"].join(".")}${release}`;
}
