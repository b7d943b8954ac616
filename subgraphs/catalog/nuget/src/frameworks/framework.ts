import { compareParts, type FourParts, isZero, parseParts, trimParts, zero } from "../versions/four-parts.js";
import {
  dottedFamilies,
  type Framework,
  type FrameworkIdentifier,
  frameworkKey,
  frameworkOf,
  identifierOf,
  isNamedProfile,
  isPortable,
  longProfile,
  shortNameOf,
  shortProfile,
  singleDigitFamilies,
} from "./framework-families.js";
import { profileFrameworks, profileNumber, profileOf } from "./portable-profiles.js";

export type { Framework, FrameworkIdentifier } from "./framework-families.js";

/** The framework for every moniker that NuGet does not know. */
const unsupportedFramework = frameworkOf("Unsupported", zero);

const shortForm = /^([a-z.]+)([\d.]*)(?:-([a-z0-9.+-]+))?$/i;
const platformForm = /^([a-z]+)([\d.]*)$/;
const withProfiles: ReadonlySet<FrameworkIdentifier> = new Set([
  ".NETFramework",
  ".NETPortable",
  "Silverlight",
  "WindowsPhone",
]);

/** Folder names in old packages; no other number without a name is a moniker. */
const bareNumbers: Readonly<Record<string, string>> = {
  "2": "net20",
  "2.0": "net20",
  "20": "net20",
  "3.5": "net35",
  "35": "net35",
  "4": "net40",
  "4.0": "net40",
  "40": "net40",
  "4.5": "net45",
  "45": "net45",
};

/** Parses a moniker as NuGet does. An unknown one gives `Unsupported`; `any` and `agnostic` give their own families. */
export function readFramework(text: string): Framework {
  const name = unescaped(text);
  const special = (["Any", "Agnostic", "Unsupported"] as const).find(
    (family) => family.toLowerCase() === name.split(",", 1)[0]?.trim().toLowerCase(),
  );
  if (special !== undefined) return frameworkOf(special, zero);
  return (name.includes(",") ? readLong(name) : readShort(bareNumbers[name] ?? name)) ?? unsupportedFramework;
}

/** Parses a short (`net8.0-windows`) or long (`.NETCoreApp,Version=v8.0`) moniker; undefined where no project can target it. */
export function parseFramework(text: string): Framework | undefined {
  const framework = readFramework(text);
  return isTargetable(framework) ? framework : undefined;
}

// a project targets a specific framework, and only some families have profiles
function isTargetable(framework: Framework): boolean {
  const { identifier, profile } = framework;
  if (identifier === "Unsupported" || identifier === "Any" || identifier === "Agnostic") return false;
  if (isPortable(framework)) return portableMembers(framework).every(isTargetable);
  if (!isReleased(framework)) return false;
  if (identifier === ".NETFramework") return profile === "" || isNamedProfile(profile);
  return profile === "" || (withProfiles.has(identifier) && !profile.includes("+"));
}

// .NET Framework ended at 4.8.1; dotnet8.0 and netcore3.1 are mistakes for names in another family
function isReleased({ identifier, version }: Framework): boolean {
  const [major, minor] = version;
  if (identifier === ".NETFramework") return major < 5;
  if (identifier === ".NETPlatform") return isZero(version) || (major === 5 && minor <= 6);
  return identifier !== ".NETCore" || (major === 4 && minor === 5) || (major === 5 && minor === 0);
}

function unescaped(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    // a percent sign that escapes nothing; no moniker has one
    return text;
  }
}

function readShort(text: string): Framework | undefined {
  const [, name = "", number = "", suffix = ""] = shortForm.exec(text) ?? [];
  const identifier = identifierOf(name);
  const version = parseShortVersion(number);
  if (identifier === undefined || version === undefined) return undefined;
  if (isModernName(identifier) && version[0] >= 5) return withPlatform(version, suffix.toLowerCase());
  if (identifier === ".NETPortable") return portable(version, suffix);
  if (identifier === ".NETPlatform" && isZero(version) && suffix === "") return frameworkOf(identifier, [5, 0, 0, 0]);
  return frameworkOf(identifier, version, longProfile(suffix));
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
  const modern = frameworkOf(".NETCoreApp", version);
  if (suffix === "") return modern;
  const [, platform, number = ""] = platformForm.exec(suffix) ?? [];
  const platformVersion = number === "" ? zero : parseParts(number);
  return platform === undefined || platformVersion === undefined ? undefined : { ...modern, platform, platformVersion };
}

function portable(version: FourParts, suffix: string): Framework | undefined {
  if (suffix === "") return undefined;
  const members = readMembers(suffix);
  if (members.some((member) => isPortable(member) || member.profile !== "")) return undefined;
  const number = profileNumber(suffix) ?? profileOf(members);
  return frameworkOf(".NETPortable", version, number === undefined ? suffix : `Profile${number}`);
}

function readMembers(list: string): Framework[] {
  return list.split("+").filter(Boolean).map(readFramework);
}

/** The frameworks that a portable class library runs on; with `optional` also the Xamarin ones. */
export function portableMembers({ profile }: Framework, { optional } = { optional: false }): Framework[] {
  const number = profileNumber(profile);
  return number === undefined ? readMembers(profile) : profileFrameworks(number, { optional });
}

function readLong(text: string): Framework | undefined {
  const [name = "", ...rest] = text.split(",").map((part) => part.trim());
  const identifier = identifierOf(name);
  const parts = new Map<string, string>();
  for (const part of rest) {
    const [key = "", value = ""] = part.split("=", 2);
    if (parts.has(key.toLowerCase())) return undefined;
    parts.set(key.toLowerCase(), value.trim());
  }
  const number = parts.get("version");
  const version = number === undefined ? zero : parseParts(number.replace(/^v+/i, ""));
  if (identifier === undefined || version === undefined) return undefined;
  // .NET 5 and later have platforms instead of profiles
  if (identifier === ".NETCoreApp" && version[0] >= 5) return frameworkOf(identifier, version);
  const profile = longProfile(parts.get("profile") ?? "");
  if (identifier !== ".NETPortable" || version[0] >= 5) return frameworkOf(identifier, version, profile);
  return profile.includes("-") ? undefined : portable(version, profile);
}

/** Formats the short moniker: `net8.0-windows10.0.19041`, `net472`, `netstandard2.0`, `portable-net45+win8`. */
export function frameworkName(framework: Framework): string {
  const { identifier, version, profile, platform, platformVersion } = framework;
  const modern = identifier === ".NETCoreApp" && version[0] >= 5;
  // dotnet and dotnet5.0 are the same framework; the shorter name is used for both
  const bare = isZero(version) || (identifier === ".NETPlatform" && compareParts(version, [5, 0, 0, 0]) === 0);
  const name = `${modern ? "net" : shortNameOf(identifier)}${bare ? "" : versionText(identifier, version)}`;
  if (isPortable(framework)) return `${name}-${portableMembers(framework).map(frameworkName).sort().join("+")}`;
  const platformNumber = isZero(platformVersion) ? "" : trimParts(platformVersion, 2).join(".");
  const suffix = platform === "" ? shortProfile(profile) : `${platform}${platformNumber}`;
  return `${name}${suffix === "" ? "" : `-${suffix}`}`;
}

function versionText(identifier: FrameworkIdentifier, version: FourParts): string {
  const parts = trimParts(version, singleDigitFamilies.has(identifier) ? 1 : 2);
  const hasDots = dottedFamilies.has(identifier) || parts.some((part) => part > 9);
  if (!hasDots) return parts.join("");
  return (parts.length < 2 ? [...parts, 0] : parts).join(".");
}

/** Formats the long moniker: `.NETFramework,Version=v4.0,Profile=Client`. It never names a platform. */
export function frameworkLongName(framework: Framework): string {
  const { identifier, version, profile } = framework;
  const isDotnet = identifier === ".NETPlatform" && isZero(version);
  const number = trimParts(isDotnet ? [5, 0, 0, 0] : version, 2).join(".");
  return `${identifier},Version=v${number}${profile === "" ? "" : `,Profile=${profile}`}`;
}

/** Whether two frameworks are equal in all parts. */
export function sameFramework(a: Framework, b: Framework): boolean {
  return frameworkKey(a) === frameworkKey(b);
}
