import type { FourParts } from "../versions/four-parts.js";

// biome-ignore format: one row per family, in the order in which equally near frameworks are preferred
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

/** A framework's family. The last three mean: every framework, no particular one, and an unknown one. */
export type FrameworkIdentifier = (typeof table)[number][0] | "Any" | "Agnostic" | "Unsupported";

/** A target framework. `platform` is lower case, or empty for a framework without a platform. .NET 5 and later are `.NETCoreApp`. */
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

/** The family with a short or long name, ignoring case. */
export function identifierOf(name: string): FrameworkIdentifier | undefined {
  return byName.get(name.toLowerCase());
}

/** A family's name in short monikers. */
export function shortNameOf(identifier: FrameworkIdentifier): string {
  return shortNames.get(identifier) ?? identifier.toLowerCase();
}

/** Families whose short name has dots in its version: `netcoreapp3.1`, but `net472`. */
export const dottedFamilies: ReadonlySet<FrameworkIdentifier> = new Set([
  ".NETCoreApp",
  ".NETStandard",
  ".NETnanoFramework",
]);
/** Families whose version may be a single digit in the short name: `win8`. */
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

/** A profile's long name; any other text is returned as it is. */
export function longProfile(text: string): string {
  const equals = (name: string) => name !== "" && name.toLowerCase() === text.toLowerCase();
  return (profileNames.find(([short]) => equals(short)) ?? profileNames.find(([, long]) => equals(long)))?.[1] ?? text;
}

/** Whether NuGet knows the profile by its own name. */
export function isNamedProfile(text: string): boolean {
  return profileNames.some(([, long]) => long.toLowerCase() === text.toLowerCase());
}

/** A profile's short name in lower case. */
export function shortProfile(text: string): string {
  const names = text === "" ? undefined : profileNames.find(([, long]) => long.toLowerCase() === text.toLowerCase());
  return (names?.[0] ?? text).toLowerCase();
}

/** Creates a framework without a platform. */
export function frameworkOf(identifier: FrameworkIdentifier, version: FourParts, profile = ""): Framework {
  return { identifier, version, profile, platform: "", platformVersion: [0, 0, 0, 0] };
}

const keys = new WeakMap<Framework, string>();

/** A text that is equal for two frameworks when all their parts are equal. */
export function frameworkKey(framework: Framework): string {
  let key = keys.get(framework);
  if (key === undefined) keys.set(framework, (key = writeKey(framework)));
  return key;
}

function writeKey({ identifier, version, profile, platform, platformVersion }: Framework): string {
  return `${identifier}|${version.join(".")}|${profile.toLowerCase()}|${platform}|${platformVersion.join(".")}`;
}

/** Whether the framework belongs to a portable class library, which stands for several frameworks. */
export function isPortable({ identifier, version }: Framework): boolean {
  return identifier === ".NETPortable" && version[0] < 5;
}
