import type { FourParts } from "../versions/four-parts.js";

// biome-ignore format: one row per family, in the order in which the nearest of equals is named
const table = [
  // identifier                 short name               further names
  [".NETCoreApp",               "netcoreapp",            []],
  [".NETStandardApp",           "netstandardapp",        []],
  [".NETStandard",              "netstandard",           []],
  [".NETPlatform",              "dotnet",                []],
  [".NETFramework",             "net",                   ["netframework", ".net"]],
  [".NETMicroFramework",        "netmf",                 []],
  [".NETnanoFramework",         "netnano",               []],
  ["Silverlight",               "sl",                    []],
  [".NETPortable",              "portable",              ["netportable"]],
  ["WindowsPhone",              "wp",                    []],
  ["WindowsPhoneApp",           "wpa",                   []],
  ["Windows",                   "win",                   []],
  ["ASP.NET",                   "aspnet",                []],
  ["ASP.NETCore",               "aspnetcore",            []],
  ["native",                    "native",                []],
  ["MonoAndroid",               "monoandroid",           []],
  ["MonoTouch",                 "monotouch",             []],
  ["MonoMac",                   "monomac",               []],
  ["Xamarin.iOS",               "xamarinios",            []],
  ["Xamarin.Mac",               "xamarinmac",            []],
  ["Xamarin.PlayStation3",      "xamarinpsthree",        ["xamarin.playstationthree", "xamarinplaystationthree"]],
  ["Xamarin.PlayStation4",      "xamarinpsfour",         ["xamarin.playstationfour", "xamarinplaystationfour"]],
  ["Xamarin.PlayStationVita",   "xamarinpsvita",         ["xamarinplaystationvita"]],
  ["Xamarin.WatchOS",           "xamarinwatchos",        []],
  ["Xamarin.TVOS",              "xamarintvos",           []],
  ["Xamarin.Xbox360",           "xamarinxboxthreesixty", []],
  ["Xamarin.XboxOne",           "xamarinxboxone",        []],
  ["DNX",                       "dnx",                   []],
  ["DNXCore",                   "dnxcore",               []],
  [".NETCore",                  "netcore",               []],
  ["WinRT",                     "winrt",                 []],
  ["UAP",                       "uap",                   []],
  ["Tizen",                     "tizen",                 []],
] as const;

/** The last three stand for no framework of their own: every one, none in particular, and what is not known. */
export type FrameworkIdentifier = (typeof table)[number][0] | "Any" | "Agnostic" | "Unsupported";

/** A target framework. `platform` is lower case and empty where there is none; .NET 5 and later are `.NETCoreApp`. */
export interface Framework {
  readonly identifier: FrameworkIdentifier;
  readonly version: FourParts;
  readonly profile: string;
  readonly platform: string;
  readonly platformVersion: FourParts;
}

const byName = new Map<string, FrameworkIdentifier>(
  table.flatMap(([identifier, short, more]) =>
    [short, identifier.toLowerCase(), ...more].map((name) => [name, identifier] as const),
  ),
);
const shortNames = new Map<FrameworkIdentifier, string>(table.map(([identifier, short]) => [identifier, short]));

/** The family of a short or long name, ignoring case. */
export function identifierOf(name: string): FrameworkIdentifier | undefined {
  return byName.get(name.toLowerCase());
}

export function shortNameOf(identifier: FrameworkIdentifier): string {
  return shortNames.get(identifier) ?? identifier.toLowerCase();
}

/** How a family writes its version in a short name: `net472`, `netcoreapp3.1`, `win8`. */
export const dottedFamilies: ReadonlySet<FrameworkIdentifier> = new Set([
  ".NETCoreApp",
  ".NETStandard",
  ".NETnanoFramework",
]);
export const singleDigitFamilies: ReadonlySet<FrameworkIdentifier> = new Set([
  "Windows",
  "WindowsPhone",
  "Silverlight",
]);

const profileNames: readonly (readonly [short: string, long: string])[] = [
  ["Client", "Client"],
  ["CF", "CompactFramework"],
  ["Full", ""],
  ["WP", "WindowsPhone"],
  ["WP71", "WindowsPhone71"],
];

export function longProfile(text: string): string {
  const same = (name: string) => name !== "" && name.toLowerCase() === text.toLowerCase();
  return (profileNames.find(([short]) => same(short)) ?? profileNames.find(([, long]) => same(long)))?.[1] ?? text;
}

/** One that came with a release, and no text of somebody's own. */
export function isNamedProfile(text: string): boolean {
  return profileNames.some(([, long]) => long.toLowerCase() === text.toLowerCase());
}

export function shortProfile(text: string): string {
  const found = text === "" ? undefined : profileNames.find(([, long]) => long.toLowerCase() === text.toLowerCase());
  return (found?.[0] ?? text).toLowerCase();
}

/** Makes a framework without a platform. */
export function frameworkOf(identifier: FrameworkIdentifier, version: FourParts, profile = ""): Framework {
  return { identifier, version, profile, platform: "", platformVersion: [0, 0, 0, 0] };
}

const keys = new WeakMap<Framework, string>();

/** Equal keys: the same framework in every part. */
export function frameworkKey(framework: Framework): string {
  let key = keys.get(framework);
  if (key === undefined) keys.set(framework, (key = writeKey(framework)));
  return key;
}

function writeKey({ identifier, version, profile, platform, platformVersion }: Framework): string {
  return `${identifier}|${version.join(".")}|${profile.toLowerCase()}|${platform}|${platformVersion.join(".")}`;
}

/** A portable class library, which stands for a list of frameworks. */
export function isPortable({ identifier, version }: Framework): boolean {
  return identifier === ".NETPortable" && version[0] < 5;
}
