import { compareParts, type FourParts, isZero } from "../versions/four-parts.js";
import { type Framework, portableMembers, sameFramework } from "./framework.js";
import { type FrameworkIdentifier, isPortable } from "./framework-families.js";
import { allNamesOf, substitutesOf } from "./framework-mappings.js";
import { profileNumber, profileStandard } from "./portable-profiles.js";

/** Platforms since .NET 6 that may still use assets for the framework they replaced. */
const predecessors: Readonly<Record<string, FrameworkIdentifier>> = { android: "MonoAndroid", tizen: "Tizen" };

/** Whether a project that targets `project` can use an asset that was built for `asset`. */
export function isCompatible(project: Framework, asset: Framework): boolean {
  if (project.identifier === "Any" || asset.identifier === "Any") return true;
  if (project.identifier === "Unsupported") return asset.identifier === "Unsupported";
  if (asset.identifier === "Agnostic" || sameFramework(project, asset)) return true;
  if (asset.identifier === "Unsupported") return false;
  return isPortable(asset) ? servesAll(project, asset) : serves(project, asset);
}

/** The framework that a project builds for: the SDK reads `net8.0-windows` as `net8.0-windows7.0`. */
export function asProject(framework: Framework): Framework {
  if (framework.platform !== "windows" || !isZero(framework.platformVersion)) return framework;
  return { ...framework, platformVersion: [7, 0, 0, 0] };
}

// a portable asset is compatible when each project framework can use one of the asset's frameworks
function servesAll(project: Framework, asset: Framework): boolean {
  const projectMembers = isPortable(project) ? portableMembers(project) : [project];
  const assetMembers = portableMembers(asset, { optional: true });
  return (
    projectMembers.length <= assetMembers.length &&
    projectMembers.every((member) => assetMembers.some((other) => isCompatible(member, other)))
  );
}

const standsByFramework = new WeakMap<Framework, readonly Framework[]>();

function serves(project: Framework, asset: Framework): boolean {
  let stands = standsByFramework.get(project);
  if (stands === undefined) standsByFramework.set(project, (stands = standsFor(project)));
  const names = allNamesOf(asset);
  return stands.some((stand) => names.some((other) => covers(stand, other)));
}

function standsFor(project: Framework): Framework[] {
  const number = isPortable(project) ? profileNumber(project.profile) : undefined;
  const standard = number === undefined ? undefined : profileStandard(number);
  return [...substitutesOf(project), ...(standard === undefined ? [] : [standard])];
}

function covers(candidate: Framework, other: Framework): boolean {
  if (candidate.identifier !== other.identifier)
    return candidate.version[0] >= 6 && isModern(candidate) && predecessors[candidate.platform] === other.identifier;
  return (
    reaches(candidate.version, other.version) &&
    candidate.profile.toLowerCase() === other.profile.toLowerCase() &&
    (other.platform === "" ||
      (candidate.platform === other.platform && reaches(candidate.platformVersion, other.platformVersion)))
  );
}

function isModern({ identifier, version }: Framework): boolean {
  return identifier === ".NETCoreApp" && version[0] >= 5;
}

function reaches(have: FourParts, need: FourParts): boolean {
  return isZero(need) || compareParts(need, have) <= 0;
}
