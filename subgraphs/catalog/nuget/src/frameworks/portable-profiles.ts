import { compareParts, parseParts, zero } from "../versions/four-parts.js";
import { type Framework, type FrameworkIdentifier, frameworkKey, frameworkOf } from "./framework-families.js";
import { allNamesOf } from "./framework-mappings.js";

const members: Readonly<Record<string, readonly [FrameworkIdentifier, string]>> = {
  net4: [".NETFramework", "4.0"],
  net403: [".NETFramework", "4.0.3"],
  net45: [".NETFramework", "4.5"],
  net451: [".NETFramework", "4.5.1"],
  win8: ["Windows", "8.0"],
  win81: ["Windows", "8.1"],
  sl4: ["Silverlight", "4.0"],
  sl5: ["Silverlight", "5.0"],
  wp7: ["WindowsPhone", "7.0"],
  wp75: ["WindowsPhone", "7.5"],
  wp8: ["WindowsPhone", "8.0"],
  wp81: ["WindowsPhone", "8.1"],
  wpa81: ["WindowsPhoneApp", "8.1"],
};

/** The numbered profiles for portable class libraries and the frameworks that each runs on. */
const profiles: readonly (readonly [number: number, frameworks: string])[] = [
  [31, "win81 wp81"],
  [32, "win81 wpa81"],
  [44, "net451 win81"],
  [84, "wp81 wpa81"],
  [151, "net451 win81 wpa81"],
  [157, "win81 wp81 wpa81"],
  [7, "net45 win8"],
  [49, "net45 wp8"],
  [78, "net45 win8 wp8"],
  [111, "net45 win8 wpa81"],
  [259, "net45 win8 wpa81 wp8"],
  [2, "net4 win8 sl4 wp7"],
  [3, "net4 sl4"],
  [4, "net45 sl4 win8 wp7"],
  [5, "net4 win8"],
  [6, "net403 win8"],
  [14, "net4 sl5"],
  [18, "net403 sl4"],
  [19, "net403 sl5"],
  [23, "net45 sl4"],
  [24, "net45 sl5"],
  [36, "net4 sl4 win8 wp8"],
  [37, "net4 sl5 win8"],
  [41, "net403 sl4 win8"],
  [42, "net403 sl5 win8"],
  [46, "net45 sl4 win8"],
  [47, "net45 sl5 win8"],
  [88, "net4 sl4 win8 wp75"],
  [92, "net4 win8 wpa81"],
  [95, "net403 sl4 win8 wp7"],
  [96, "net403 sl4 win8 wp75"],
  [102, "net403 win8 wpa81"],
  [104, "net45 sl4 win8 wp75"],
  [136, "net4 sl5 win8 wp8"],
  [143, "net403 sl4 win8 wp8"],
  [147, "net403 sl5 win8 wp8"],
  [154, "net45 sl4 win8 wp8"],
  [158, "net45 sl5 win8 wp8"],
  [225, "net4 sl5 win8 wpa81"],
  [240, "net403 sl5 win8 wpa81"],
  [255, "net45 sl5 win8 wpa81"],
  [328, "net4 sl5 win8 wpa81 wp8"],
  [336, "net403 sl5 win8 wpa81 wp8"],
  [344, "net45 sl5 win8 wpa81 wp8"],
];

const runsOnXamarin = new Set([
  5, 6, 7, 14, 19, 24, 37, 42, 44, 47, 49, 78, 92, 102, 111, 136, 147, 151, 158, 225, 255, 259, 328, 336, 344,
]);
const xamarin = (
  ["MonoAndroid", "MonoTouch", "Xamarin.iOS", "Xamarin.Mac", "Xamarin.TVOS", "Xamarin.WatchOS"] as const
).map((identifier) => frameworkOf(identifier, zero));

/** The .NET Standard minor version that a library with the profile can use, by profile number. */
const standards: Readonly<Record<number, string>> = {
  7: "1.1",
  31: "1.0",
  32: "1.2",
  44: "1.2",
  49: "1.0",
  78: "1.0",
  84: "1.0",
  111: "1.1",
  151: "1.2",
  157: "1.0",
  259: "1.0",
};

const byNumber = new Map(profiles.map(([number, names]) => [number, names.split(" ").map(memberOf)]));

function memberOf(name: string): Framework {
  const [identifier, version] = members[name] ?? ["Unsupported", "0"];
  return frameworkOf(identifier, parseParts(version) ?? zero);
}

/** The number in `Profile259`. */
export function profileNumber(profile: string): number | undefined {
  const [, digits] = /^profile(\d+)$/i.exec(profile) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The frameworks in a numbered profile; with `optional` also the Xamarin ones that it runs on. */
export function profileFrameworks(number: number, { optional }: { optional: boolean }): Framework[] {
  const frameworks = byNumber.get(number) ?? [];
  return optional && runsOnXamarin.has(number) ? [...frameworks, ...xamarin] : frameworks;
}

/** The .NET Standard that a library with the profile can use; undefined where it can use none. */
export function profileStandard(number: number): Framework | undefined {
  const version = standards[number];
  return version === undefined ? undefined : frameworkOf(".NETStandard", parseParts(version) ?? zero);
}

/** The number for the profile with exactly these frameworks. */
export function profileOf(frameworks: readonly Framework[]): number | undefined {
  const keys = new Set(frameworks.map(canonical));
  for (const [number, profileMembers] of byNumber) {
    const profileKeys = new Set(profileMembers.map(canonical));
    const rest = frameworks.filter((framework) => !(runsOnXamarin.has(number) && isXamarin(framework)));
    const restKeys = new Set(rest.map(canonical));
    if (
      profileKeys.size <= keys.size &&
      restKeys.size === profileKeys.size &&
      [...profileKeys].every((key) => restKeys.has(key))
    )
      return number;
  }
  return undefined;
}

function isXamarin({ identifier, profile }: Framework): boolean {
  return profile === "" && xamarin.some((framework) => framework.identifier === identifier);
}

// the same key for all names that a framework has
function canonical(framework: Framework): string {
  const names = allNamesOf(framework).sort((a, b) => compareParts(b.version, a.version));
  return names.map(frameworkKey).sort()[0] ?? "";
}
