import { compareParts, type FourParts, isZero, parseParts, trimParts, zero } from "./four-parts.js";

export type FrameworkIdentifier =
  | ".NETFramework"
  | ".NETCoreApp"
  | ".NETStandard"
  | "UAP"
  | "Tizen"
  | "MonoAndroid"
  | "MonoTouch"
  | "MonoMac"
  | "Xamarin.iOS"
  | "Xamarin.Mac"
  | "Xamarin.TVOS"
  | "Xamarin.WatchOS";

/** A target framework. `platform` is lower case and empty where there is none; .NET 5 and later are `.NETCoreApp`. */
export interface Framework {
  readonly identifier: FrameworkIdentifier;
  readonly version: FourParts;
  readonly profile: string;
  readonly platform: string;
  readonly platformVersion: FourParts;
}

// biome-ignore format: one row per family
const families: readonly { identifier: FrameworkIdentifier; short: string; aliases: string[]; dotted: boolean }[] = [
  { identifier: ".NETFramework",   short: "net",            aliases: ["netframework", ".net"], dotted: false },
  { identifier: ".NETCoreApp",     short: "netcoreapp",     aliases: [],                       dotted: true },
  { identifier: ".NETStandard",    short: "netstandard",    aliases: [],                       dotted: true },
  { identifier: "UAP",             short: "uap",            aliases: [],                       dotted: false },
  { identifier: "Tizen",           short: "tizen",          aliases: [],                       dotted: true },
  { identifier: "MonoAndroid",     short: "monoandroid",    aliases: [],                       dotted: false },
  { identifier: "MonoTouch",       short: "monotouch",      aliases: [],                       dotted: false },
  { identifier: "MonoMac",         short: "monomac",        aliases: [],                       dotted: false },
  { identifier: "Xamarin.iOS",     short: "xamarinios",     aliases: [],                       dotted: false },
  { identifier: "Xamarin.Mac",     short: "xamarinmac",     aliases: [],                       dotted: false },
  { identifier: "Xamarin.TVOS",    short: "xamarintvos",    aliases: [],                       dotted: false },
  { identifier: "Xamarin.WatchOS", short: "xamarinwatchos", aliases: [],                       dotted: false },
];

const byAlias = new Map(
  families.flatMap(({ identifier, short, aliases }) =>
    [short, identifier.toLowerCase(), ...aliases].map((alias) => [alias, identifier] as const),
  ),
);
const byIdentifier = new Map(families.map((family) => [family.identifier, family]));

const shortForm = /^([a-z.]+)([\d.]+)?(?:-(.+))?$/i;
const platformForm = /^([a-z]+)([\d.]+)?$/;
const profileForm = /^[a-z0-9.+]+$/i;
const profileAliases = new Map([
  ["client", "Client"],
  ["full", ""],
  ["cf", "CompactFramework"],
  ["compactframework", "CompactFramework"],
]);

/** Reads a short (`net8.0-windows`) or long (`.NETCoreApp,Version=v8.0`) moniker; undefined for what no project can use. */
export function parseFramework(text: string): Framework | undefined {
  return text.includes(",") ? parseLong(text) : parseShort(text);
}

function parseShort(text: string): Framework | undefined {
  const [, name = "", number = "", suffix = ""] = shortForm.exec(text) ?? [];
  const identifier = byAlias.get(name.toLowerCase());
  const version = parseShortVersion(number);
  if (identifier === undefined || version === undefined) return undefined;
  if (isModernName(identifier) && version[0] >= 5) return withPlatform(version, suffix.toLowerCase());
  return withProfile(identifier, version, suffix);
}

// without a dot every digit is a part: net472 is 4.7.2, and net10 is .NET Framework 1.0
function parseShortVersion(number: string): FourParts | undefined {
  if (number === "") return zero;
  if (number.includes(".")) return parseParts(number);
  return parseParts(number.padEnd(2, "0").slice(0, 4).split("").join("."));
}

function isModernName(identifier: FrameworkIdentifier): boolean {
  return identifier === ".NETFramework" || identifier === ".NETCoreApp";
}

function withPlatform(version: FourParts, suffix: string): Framework | undefined {
  const modern = { identifier: ".NETCoreApp", version, profile: "" } as const;
  if (suffix === "") return { ...modern, platform: "", platformVersion: zero };
  const [, platform, number] = platformForm.exec(suffix) ?? [];
  const platformVersion = number === undefined ? zero : parseParts(number);
  return platform === undefined || platformVersion === undefined ? undefined : { ...modern, platform, platformVersion };
}

function withProfile(identifier: FrameworkIdentifier, version: FourParts, suffix: string): Framework | undefined {
  // only .NET Framework was ever sold in profiles
  if (suffix !== "" && (identifier !== ".NETFramework" || !profileForm.test(suffix))) return undefined;
  const profile = profileAliases.get(suffix.toLowerCase()) ?? suffix;
  return { identifier, version, profile, platform: "", platformVersion: zero };
}

function parseLong(text: string): Framework | undefined {
  const [name = "", ...rest] = text.split(",").map((part) => part.trim());
  const identifier = byAlias.get(name.toLowerCase());
  if (identifier === undefined) return undefined;
  const parts = new Map<string, string>();
  for (const part of rest) {
    const [key = "", value = ""] = part.split("=", 2);
    if (parts.has(key.toLowerCase())) return undefined;
    parts.set(key.toLowerCase(), value.trim());
  }
  const number = parts.get("version");
  const version = number === undefined ? zero : parseParts(number.replace(/^v/i, ""));
  // .NET Framework ended at 4.8.1
  if (version === undefined || (identifier === ".NETFramework" && version[0] >= 5)) return undefined;
  return withProfile(identifier, version, parts.get("profile") ?? "");
}

/** The short moniker: `net8.0-windows10.0.19041`, `net472`, `netstandard2.0`. */
export function frameworkName(framework: Framework): string {
  const { identifier, version, profile, platform, platformVersion } = framework;
  const family = byIdentifier.get(identifier);
  const modern = identifier === ".NETCoreApp" && version[0] >= 5;
  const name = modern ? "net" : (family?.short ?? identifier);
  const dotted = modern || family?.dotted === true || version.some((part) => part > 9);
  const number = isZero(version) ? "" : trimParts(version, 2).join(dotted ? "." : "");
  const platformNumber = isZero(platformVersion) ? "" : trimParts(platformVersion, 2).join(".");
  const suffix = platform === "" ? profile.toLowerCase() : `${platform}${platformNumber}`;
  return `${name}${number}${suffix === "" ? "" : `-${suffix}`}`;
}

export function sameFramework(a: Framework, b: Framework): boolean {
  return (
    a.identifier === b.identifier &&
    compareParts(a.version, b.version) === 0 &&
    a.profile.toLowerCase() === b.profile.toLowerCase() &&
    a.platform === b.platform &&
    compareParts(a.platformVersion, b.platformVersion) === 0
  );
}
