import { compareText } from "../text-order.js";
import { compareParts, isZero } from "../versions/four-parts.js";
import { type Framework, type FrameworkIdentifier, frameworkName, sameFramework } from "./framework.js";
import { isCompatible } from "./framework-compatibility.js";
import { isPortable } from "./framework-families.js";
import { nearestPortables } from "./nearest-portable.js";

const packageBased: ReadonlySet<FrameworkIdentifier> = new Set([
  "DNXCore",
  ".NETPlatform",
  ".NETStandard",
  ".NETStandardApp",
  ".NETCoreApp",
  "UAP",
  "Tizen",
]);

// among otherwise equal candidates the earlier one is nearer
const precedence: readonly FrameworkIdentifier[] = [
  ".NETFramework",
  ".NETCore",
  "Windows",
  "WindowsPhoneApp",
  ".NETCoreApp",
  ".NETStandardApp",
  ".NETStandard",
  ".NETPlatform",
];

type Filter = (candidates: readonly Framework[], project: Framework) => readonly Framework[];

/** The candidate whose assets a restore takes for `project`; undefined where the project can use none. */
export function nearestFramework(project: Framework, all: readonly Framework[]): Framework | undefined {
  const known = all.filter(({ identifier }) => identifier !== "Unsupported");
  const candidates = known.length > 0 ? known : all;
  const exact = candidates.find((candidate) => sameFramework(candidate, project));
  if (exact !== undefined) return exact;
  let left = reduceUpwards(candidates.filter((candidate) => isCompatible(project, candidate)));
  for (const filter of filters) {
    if (left.length < 2) break;
    left = filter(left, project);
  }
  return left.toSorted(byPrecedence)[0];
}

/** Removes each framework for which the list has a higher compatible one: of net40 and net45, net45 stays. */
export function reduceUpwards(frameworks: readonly Framework[]): readonly Framework[] {
  const specific = frameworks.filter(({ identifier }) => identifier !== "Any");
  return reduce(specific.length > 0 ? specific : frameworks, (one, other) => isCompatible(other, one));
}

/** Removes each framework for which the list has a lower compatible one: of net40 and net45, net40 stays. */
export function reduceDownwards(frameworks: readonly Framework[]): readonly Framework[] {
  const any = frameworks.find(({ identifier }) => identifier === "Any");
  return any === undefined ? reduce(frameworks, (one, other) => isCompatible(one, other)) : [any];
}

function reduce(frameworks: readonly Framework[], yields: (one: Framework, other: Framework) => boolean): Framework[] {
  const distinct = frameworks.filter(
    (one, index) => frameworks.findIndex((other) => sameFramework(one, other)) === index,
  );
  const isNeedless = (one: Framework) =>
    distinct.some((other) => {
      if (other === one || !yields(one, other)) return false;
      // compatible in both directions: net40 and net40-client both stay, but win8 replaces win
      if (!yields(other, one)) return true;
      return one.identifier === other.identifier && isZero(one.version) && !isZero(other.version);
    });
  return distinct.filter((one) => !isNeedless(one)).sort(byName);
}

const filters: readonly Filter[] = [sameFamily, portables, notPackageBased, sameProfile, platforms];

function sameFamily(candidates: readonly Framework[], project: Framework): readonly Framework[] {
  const isOwn = ({ identifier }: Framework) => identifier === project.identifier;
  if (!candidates.some(isOwn)) return candidates;
  return candidates.filter((one) => isOwn(one) || (isOfNet6(project) && project.platform !== "" && isReplaced(one)));
}

function portables(candidates: readonly Framework[], project: Framework): readonly Framework[] {
  const others = candidates.filter((one) => !isPortable(one));
  if (others.length > 0) return others;
  return nearestPortables(project, candidates, nearestFramework);
}

function notPackageBased(candidates: readonly Framework[], project: Framework): readonly Framework[] {
  const others = candidates.filter((one) => !isPackageBased(one));
  return isPackageBased(project) || others.length === 0 ? candidates : others;
}

function sameProfile(candidates: readonly Framework[], project: Framework): readonly Framework[] {
  if (candidates.some(isPortable)) return candidates;
  const same = candidates.filter(
    ({ identifier, profile }) =>
      identifier === project.identifier && profile.toLowerCase() === project.profile.toLowerCase(),
  );
  if (project.profile !== "" && same.length > 0) return same;
  const whole = candidates.filter(({ profile }) => profile === "");
  return whole.length > 0 ? whole : candidates;
}

// the newer framework counts more than the platform: net6.0 is nearer to net6.0-windows than net5.0-windows
function platforms(candidates: readonly Framework[], project: Framework): readonly Framework[] {
  if (project.platform === "") return candidates;
  const own = candidates.filter(({ identifier }) => identifier === project.identifier);
  if (!isOfNet6(project) || own.some(isOfNet6)) {
    const [newest] = own.toSorted((a, b) => compareParts(b.version, a.version));
    return newest === undefined ? candidates : own.filter(({ version }) => compareParts(version, newest.version) === 0);
  }
  const replaced = candidates.filter(isReplaced);
  return replaced.length > 0 ? replaced : candidates;
}

function isOfNet6({ identifier, version }: Framework): boolean {
  return identifier === ".NETCoreApp" && version[0] >= 6;
}

// the frameworks that .NET 6 with a platform replaced
function isReplaced({ identifier }: Framework): boolean {
  return identifier.startsWith("Xamarin.") || identifier === "MonoAndroid" || identifier === "Tizen";
}

function isPackageBased({ identifier, version }: Framework): boolean {
  return packageBased.has(identifier) || (identifier === ".NETCore" && version[0] >= 5);
}

// package-based frameworks come last, then the order of the list counts, then the later name and the newer version
function byPrecedence(a: Framework, b: Framework): number {
  return (
    rank(a) - rank(b) ||
    compareIgnoringCase(b.identifier, a.identifier) ||
    compareParts(b.version, a.version) ||
    compareIgnoringCase(b.profile, a.profile) ||
    compareIgnoringCase(b.platform, a.platform) ||
    compareParts(b.platformVersion, a.platformVersion)
  );
}

function rank({ identifier }: Framework): number {
  const listed = precedence.indexOf(identifier);
  const place = listed < 0 ? precedence.length : listed;
  return packageBased.has(identifier) ? place + precedence.length + 1 : place;
}

function compareIgnoringCase(a: string, b: string): number {
  return compareText(a.toLowerCase(), b.toLowerCase());
}

function byName(a: Framework, b: Framework): number {
  return compareIgnoringCase(a.identifier, b.identifier) || compareIgnoringCase(frameworkName(a), frameworkName(b));
}
