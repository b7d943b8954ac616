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
  const supportedFrameworks = all.filter(({ identifier }) => identifier !== "Unsupported");
  const candidates = supportedFrameworks.length > 0 ? supportedFrameworks : all;
  const exact = candidates.find((candidate) => sameFramework(candidate, project));
  if (exact !== undefined) return exact;
  let remaining = reduceUpwards(candidates.filter((candidate) => isCompatible(project, candidate)));
  for (const filter of filters) {
    if (remaining.length < 2) break;
    remaining = filter(remaining, project);
  }
  return remaining.toSorted(byPrecedence)[0];
}

/** Removes each framework for which the list has a higher compatible one: from net40 and net45, net45 stays. */
export function reduceUpwards(frameworks: readonly Framework[]): readonly Framework[] {
  const specific = frameworks.filter(({ identifier }) => identifier !== "Any");
  return reduce(specific.length > 0 ? specific : frameworks, (framework, other) => isCompatible(other, framework));
}

/** Removes each framework for which the list has a lower compatible one: from net40 and net45, net40 stays. */
export function reduceDownwards(frameworks: readonly Framework[]): readonly Framework[] {
  const any = frameworks.find(({ identifier }) => identifier === "Any");
  return any === undefined ? reduce(frameworks, (framework, other) => isCompatible(framework, other)) : [any];
}

function reduce(frameworks: readonly Framework[], yields: (one: Framework, other: Framework) => boolean): Framework[] {
  const distinct = frameworks.filter(
    (framework, index) => frameworks.findIndex((other) => sameFramework(framework, other)) === index,
  );
  const isNeedless = (framework: Framework) =>
    distinct.some((other) => {
      if (other === framework || !yields(framework, other)) return false;
      // compatible in both directions: net40 and net40-client both stay, but win8 replaces win
      if (!yields(other, framework)) return true;
      return framework.identifier === other.identifier && isZero(framework.version) && !isZero(other.version);
    });
  return distinct.filter((framework) => !isNeedless(framework)).sort(byName);
}

const filters: readonly Filter[] = [sameFamily, portables, notPackageBased, sameProfile, platforms];

function sameFamily(candidates: readonly Framework[], project: Framework): readonly Framework[] {
  const isOwn = ({ identifier }: Framework) => identifier === project.identifier;
  if (!candidates.some(isOwn)) return candidates;
  return candidates.filter(
    (framework) => isOwn(framework) || (isOfNet6(project) && project.platform !== "" && isReplaced(framework)),
  );
}

function portables(candidates: readonly Framework[], project: Framework): readonly Framework[] {
  const others = candidates.filter((framework) => !isPortable(framework));
  if (others.length > 0) return others;
  return nearestPortables(project, candidates, nearestFramework);
}

function notPackageBased(candidates: readonly Framework[], project: Framework): readonly Framework[] {
  const others = candidates.filter((framework) => !isPackageBased(framework));
  return isPackageBased(project) || others.length === 0 ? candidates : others;
}

function sameProfile(candidates: readonly Framework[], project: Framework): readonly Framework[] {
  if (candidates.some(isPortable)) return candidates;
  const familyMembers = candidates.filter(
    ({ identifier, profile }) =>
      identifier === project.identifier && profile.toLowerCase() === project.profile.toLowerCase(),
  );
  if (project.profile !== "" && familyMembers.length > 0) return familyMembers;
  const whole = candidates.filter(({ profile }) => profile === "");
  return whole.length > 0 ? whole : candidates;
}

// the newer framework counts more than the platform: net6.0 is nearer to net6.0-windows than net5.0-windows
function platforms(candidates: readonly Framework[], project: Framework): readonly Framework[] {
  if (project.platform === "") return candidates;
  const familyMembers = candidates.filter(({ identifier }) => identifier === project.identifier);
  if (!isOfNet6(project) || familyMembers.some(isOfNet6)) {
    const [newest] = familyMembers.toSorted((a, b) => compareParts(b.version, a.version));
    return newest === undefined
      ? candidates
      : familyMembers.filter(({ version }) => compareParts(version, newest.version) === 0);
  }
  const predecessors = candidates.filter(isReplaced);
  return predecessors.length > 0 ? predecessors : candidates;
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

// package-based frameworks come last, then the list's order counts, then the later name and the newer version
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
  const index = precedence.indexOf(identifier);
  const place = index < 0 ? precedence.length : index;
  return packageBased.has(identifier) ? place + precedence.length + 1 : place;
}

function compareIgnoringCase(a: string, b: string): number {
  return compareText(a.toLowerCase(), b.toLowerCase());
}

function byName(a: Framework, b: Framework): number {
  return compareIgnoringCase(a.identifier, b.identifier) || compareIgnoringCase(frameworkName(a), frameworkName(b));
}
