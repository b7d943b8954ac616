import { compareParts, type FourParts, parseParts, zero } from "../versions/four-parts.js";
import { type Framework, type FrameworkIdentifier, frameworkKey, frameworkOf } from "./framework-families.js";

// NuGet's public mapping tables (learn.microsoft.com/nuget/reference/target-frameworks and
// learn.microsoft.com/dotnet/standard/net-standard), as data.

type Name = readonly [identifier: FrameworkIdentifier, version: string, profile?: string];

function named([identifier, version, profile]: Name): Framework {
  return frameworkOf(identifier, parseParts(version) ?? zero, profile);
}

/** Pairs with two names for the same framework. */
const equivalent = (
  [
    [
      ["UAP", "0"],
      ["UAP", "10.0"],
    ],
    [
      ["Windows", "0"],
      ["Windows", "8.0"],
    ],
    [
      ["Windows", "8.0"],
      [".NETCore", "4.5"],
    ],
    [
      [".NETCore", "4.5"],
      ["WinRT", "4.5"],
    ],
    [
      [".NETCore", "0"],
      [".NETCore", "4.5"],
    ],
    [
      ["WinRT", "0"],
      ["WinRT", "4.5"],
    ],
    [
      ["Windows", "8.1"],
      [".NETCore", "4.5.1"],
    ],
    [
      ["WindowsPhone", "0"],
      ["WindowsPhone", "7.0"],
    ],
    [
      ["WindowsPhone", "7.0"],
      ["Silverlight", "3.0", "WindowsPhone"],
    ],
    [
      ["WindowsPhone", "7.1"],
      ["Silverlight", "4.0", "WindowsPhone71"],
    ],
    [
      ["WindowsPhone", "8.0"],
      ["Silverlight", "8.0", "WindowsPhone"],
    ],
    [
      ["WindowsPhone", "8.1"],
      ["Silverlight", "8.1", "WindowsPhone"],
    ],
    [
      ["WindowsPhoneApp", "0"],
      ["WindowsPhoneApp", "8.1"],
    ],
    [
      ["Tizen", "0"],
      ["Tizen", "3.0"],
    ],
    [
      ["DNX", "0"],
      ["DNX", "4.5"],
    ],
    [
      ["DNXCore", "0"],
      ["DNXCore", "5.0"],
    ],
    [
      [".NETPlatform", "0"],
      [".NETPlatform", "5.0"],
    ],
    [
      ["ASP.NET", "0"],
      ["ASP.NET", "5.0"],
    ],
    [
      ["ASP.NETCore", "0"],
      ["ASP.NETCore", "5.0"],
    ],
    [
      ["DNX", "4.5"],
      ["ASP.NET", "5.0"],
    ],
    [
      ["DNXCore", "5.0"],
      ["ASP.NETCore", "5.0"],
    ],
  ] as const satisfies readonly (readonly [Name, Name])[]
).map((pair) => pair.map(named));

const twins = new Map<string, Framework[]>();
for (const [framework, other] of equivalent)
  if (framework && other)
    for (const [from, to] of [
      [framework, other],
      [other, framework],
    ] as const)
      twins.set(frameworkKey(from), [...(twins.get(frameworkKey(from)) ?? []), to]);
const withTwins = equivalent.flat();

/** Pairs with equal profiles: NuGet treats .NET Framework's client profile as the whole framework. */
const profiles: readonly (readonly [FrameworkIdentifier, string, string])[] = [
  [".NETFramework", "client", ""],
  [".NETFramework", "full", ""],
  ["Silverlight", "windowsphone71", "windowsphone"],
  ["WindowsPhone", "windowsphone71", "windowsphone"],
];

const subsets: Partial<Record<FrameworkIdentifier, FrameworkIdentifier>> = {
  DNX: ".NETFramework",
  DNXCore: ".NETPlatform",
  ".NETStandardApp": ".NETStandard",
};

interface Mapping {
  readonly identifier: FrameworkIdentifier;
  readonly from: FourParts;
  readonly supports: readonly Framework[];
}

function standard(version: string): Framework[] {
  return [named([".NETStandard", version])];
}

function generation(dotnet: string, version: string): Framework[] {
  return [named([".NETPlatform", dotnet]), ...standard(version)];
}

/** The version from which on a framework can use another family's frameworks. */
const mappings: readonly Mapping[] = (
  [
    ["UAP", "0", ["Windows", "8.1"]],
    ["UAP", "0", ["WindowsPhoneApp", "8.1"]],
    ["UAP", "0", [".NETCore", "5.0"]],
    ["Windows", "0", ["WinRT", "4.5"]],
  ] as const
)
  .map(([identifier, from, moniker]) => mapping(identifier, from, [named(moniker)]))
  .concat(
    (
      [
        ["Tizen", "3.0", "1.6"],
        ["Tizen", "4.0", "2.0"],
        ["Tizen", "6.0", "2.1"],
        ["UAP", "10.0.15064", "2.0"],
        [".NETCoreApp", "1.0", "1.6"],
        [".NETCoreApp", "1.1", "1.7"],
        [".NETCoreApp", "2.0", "2.0"],
        [".NETCoreApp", "3.0", "2.1"],
      ] as const
    ).map(([identifier, from, version]) => mapping(identifier, from, standard(version))),
    (
      [
        ["DNXCore", "0", "5.6", "1.5"],
        ["UAP", "0", "5.5", "1.4"],
        [".NETCore", "5.0", "5.5", "1.4"],
        ["WindowsPhoneApp", "8.1", "5.3", "1.2"],
        ["WindowsPhone", "8.0", "5.1", "1.0"],
        [".NETFramework", "4.5", "5.2", "1.1"],
        [".NETFramework", "4.5.1", "5.3", "1.2"],
        [".NETFramework", "4.6", "5.4", "1.3"],
        [".NETFramework", "4.6.1", "5.5", "2.0"],
        [".NETFramework", "4.6.2", "5.6", "2.0"],
        [".NETCore", "4.5", "5.2", "1.1"],
        [".NETCore", "4.5.1", "5.3", "1.2"],
        ["MonoAndroid", "0", "5.6", "2.1"],
        ["MonoMac", "0", "5.6", "2.1"],
        ["MonoTouch", "0", "5.6", "2.1"],
        ["Xamarin.iOS", "0", "5.6", "2.1"],
        ["Xamarin.Mac", "0", "5.6", "2.1"],
        ["Xamarin.TVOS", "0", "5.6", "2.1"],
        ["Xamarin.WatchOS", "0", "5.6", "2.1"],
        ["Xamarin.PlayStation3", "0", "5.6", "2.0"],
        ["Xamarin.PlayStation4", "0", "5.6", "2.0"],
        ["Xamarin.PlayStationVita", "0", "5.6", "2.0"],
        ["Xamarin.Xbox360", "0", "5.6", "2.0"],
        ["Xamarin.XboxOne", "0", "5.6", "2.0"],
      ] as const
    ).map(([identifier, from, dotnet, version]) => mapping(identifier, from, generation(dotnet, version))),
  );

function mapping(identifier: FrameworkIdentifier, from: string, supports: readonly Framework[]): Mapping {
  return { identifier, from: parseParts(from) ?? zero, supports };
}

/** Other names for the framework and for its profile. */
function twinsOf(framework: Framework): Framework[] {
  const others = twins.get(frameworkKey(framework)) ?? [];
  const aliases = [...others, framework].flatMap(({ identifier, version, profile }) =>
    profiles
      .filter(([family]) => family === identifier)
      .flatMap(([, alias, other]) => [
        ...(profile.toLowerCase() === alias ? [other] : []),
        ...(profile.toLowerCase() === other ? [alias] : []),
      ])
      .map((alias) => frameworkOf(identifier, version, alias)),
  );
  return [...others, ...aliases];
}

/** The framework under all its names. */
export function allNamesOf(framework: Framework): Framework[] {
  return closure(framework, twinsOf);
}

/** The framework and all frameworks in other families whose assets it can use. */
export function substitutesOf(framework: Framework): Framework[] {
  return closure(framework, (member) => [
    ...twinsOf(member),
    ...withTwins.filter((other) => isEarlier(other, member)).flatMap(twinsOf),
    ...subsetsOf(member),
    ...mappings
      .filter(({ identifier, from }) => identifier === member.identifier && isSince(member, from))
      .flatMap(({ supports }) => supports),
  ]);
}

function closure(start: Framework, next: (framework: Framework) => readonly Framework[]): Framework[] {
  const frameworks = new Map([[frameworkKey(start), start]]);
  const queue = [start];
  for (const framework of queue)
    for (const other of next(framework)) {
      const key = frameworkKey(other);
      if (frameworks.has(key)) continue;
      frameworks.set(key, other);
      queue.push(other);
    }
  return queue;
}

function isEarlier(other: Framework, { identifier, version, profile }: Framework): boolean {
  return (
    other.identifier === identifier &&
    other.profile.toLowerCase() === profile.toLowerCase() &&
    compareParts(other.version, version) <= 0
  );
}

function isSince({ version, profile }: Framework, from: FourParts): boolean {
  return profile === "" && compareParts(from, version) <= 0;
}

function subsetsOf({ identifier, version, profile }: Framework): Framework[] {
  const subset = profile === "" ? subsets[identifier] : undefined;
  return subset === undefined ? [] : [frameworkOf(subset, version)];
}
