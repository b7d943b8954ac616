import { compareParts, type FourParts, isZero } from "./four-parts.js";
import { type Framework, type FrameworkIdentifier } from "./framework.js";

type Step = readonly [from: FourParts, standard: FourParts];
const any: FourParts = [0, 0, 0, 0];

// biome-ignore format: one row per family
/** From which version on a framework implements which .NET Standard (learn.microsoft.com/dotnet/standard/net-standard). */
const standards: Partial<Record<FrameworkIdentifier, readonly Step[]>> = {
  ".NETCoreApp":     [[[1, 0, 0, 0], [1, 6, 0, 0]], [[1, 1, 0, 0], [1, 7, 0, 0]], [[2, 0, 0, 0], [2, 0, 0, 0]], [[3, 0, 0, 0], [2, 1, 0, 0]]],
  ".NETFramework":   [[[4, 5, 0, 0], [1, 1, 0, 0]], [[4, 5, 1, 0], [1, 2, 0, 0]], [[4, 6, 0, 0], [1, 3, 0, 0]], [[4, 6, 1, 0], [2, 0, 0, 0]]],
  "UAP":             [[[10, 0, 0, 0], [1, 4, 0, 0]], [[10, 0, 15064, 0], [2, 0, 0, 0]]],
  "Tizen":           [[[3, 0, 0, 0], [1, 6, 0, 0]], [[4, 0, 0, 0], [2, 0, 0, 0]], [[6, 0, 0, 0], [2, 1, 0, 0]]],
  "MonoAndroid":     [[any, [2, 1, 0, 0]]],
  "MonoTouch":       [[any, [2, 1, 0, 0]]],
  "MonoMac":         [[any, [2, 1, 0, 0]]],
  "Xamarin.iOS":     [[any, [2, 1, 0, 0]]],
  "Xamarin.Mac":     [[any, [2, 1, 0, 0]]],
  "Xamarin.TVOS":    [[any, [2, 1, 0, 0]]],
  "Xamarin.WatchOS": [[any, [2, 1, 0, 0]]],
};

/** Platforms of .NET 6 and later that may still use assets of the framework they replaced. */
const predecessors: Readonly<Record<string, FrameworkIdentifier>> = { android: "MonoAndroid", tizen: "Tizen" };

/** Can a project that targets `project` consume an asset built for `asset`? */
export function isCompatible(project: Framework, asset: Framework): boolean {
  if (project.identifier === asset.identifier)
    return reaches(project.version, asset.version) && sameProfile(project, asset) && servesPlatform(project, asset);
  if (asset.identifier === ".NETStandard") return implementsStandard(project, asset.version);
  return project.version[0] >= 6 && predecessors[project.platform] === asset.identifier;
}

/** The framework a project really builds for: the SDK reads `net8.0-windows` as `net8.0-windows7.0`. */
export function asProject(framework: Framework): Framework {
  if (framework.platform !== "windows" || !isZero(framework.platformVersion)) return framework;
  return { ...framework, platformVersion: [7, 0, 0, 0] };
}

function reaches(have: FourParts, asked: FourParts): boolean {
  return isZero(asked) || compareParts(asked, have) <= 0;
}

function sameProfile(project: Framework, asset: Framework): boolean {
  return profileClass(project) === profileClass(asset);
}

// the client profile of .NET Framework is treated as the whole framework, in both directions
function profileClass({ profile }: Framework): string {
  const name = profile.toLowerCase();
  return name === "client" || name === "full" ? "" : name;
}

function servesPlatform(project: Framework, asset: Framework): boolean {
  if (asset.platform === "") return true;
  return project.platform === asset.platform && reaches(project.platformVersion, asset.platformVersion);
}

function implementsStandard(project: Framework, asked: FourParts): boolean {
  const step = standards[project.identifier]?.findLast(([from]) => compareParts(from, project.version) <= 0);
  return step !== undefined && profileClass(project) === "" && reaches(step[1], asked);
}
