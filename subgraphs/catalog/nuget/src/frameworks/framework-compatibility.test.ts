import fc from "fast-check";
import { type Framework, parseFramework, readFramework } from "./framework.js";
import { asProject, isCompatible } from "./framework-compatibility.js";

function framework(text: string): Framework {
  const result = parseFramework(text);
  if (result === undefined) throw new Error(`${text} is no framework`);
  return result;
}

/** project: the assets it can use / the assets it can not use. */
const table: Record<string, readonly [uses: string, refuses: string]> = {
  net35: ["net20 net35 net11 net", "net40 netstandard1.0 netcoreapp1.0 net5.0"],
  net40: ["net20 net35 net40 net40-client", "net403 net45 netstandard1.0 netstandard2.0"],
  "net40-client": ["net35 net40 net40-client", "net45"],
  net45: [
    "net40 net45 net40-client netstandard1.0 netstandard1.1",
    "net451 netstandard1.2 netstandard2.0 netcoreapp1.0",
  ],
  net451: ["net45 net451 netstandard1.1 netstandard1.2", "net452 netstandard1.3"],
  net452: ["net451 netstandard1.0 netstandard1.2", "net46 netstandard1.3 netstandard1.6"],
  net46: ["net452 net46 netstandard1.2 netstandard1.3", "net461 netstandard1.4 netstandard2.0"],
  net461: ["net46 net461 netstandard1.3 netstandard1.6 netstandard2.0", "net462 netstandard2.1 netcoreapp2.0"],
  net462: ["net461 net45 netstandard1.5 netstandard2.0", "net47 netstandard2.1 net5.0"],
  net47: ["net462 net20 netstandard2.0", "net471 netstandard2.1"],
  net471: ["net47 netstandard1.4 netstandard2.0", "net472 netstandard2.1"],
  net472: ["net471 net472 netstandard1.0 netstandard2.0", "net48 netstandard2.1 netcoreapp3.1 net5.0 net8.0"],
  net48: ["net472 net48 net35 netstandard2.0", "net481 netstandard2.1 net6.0"],
  net481: ["net48 net45 netstandard2.0", "netstandard2.1 net8.0 net8.0-windows"],
  "netcoreapp1.0": [
    "netcoreapp1.0 netstandard1.0 netstandard1.5 netstandard1.6",
    "netcoreapp1.1 netstandard1.7 netstandard2.0 net45",
  ],
  "netcoreapp1.1": ["netcoreapp1.0 netcoreapp1.1 netstandard1.6 netstandard1.7", "netcoreapp2.0 netstandard2.0"],
  "netcoreapp2.0": [
    "netcoreapp1.1 netcoreapp2.0 netstandard1.6 netstandard2.0",
    "netcoreapp2.1 netstandard2.1 net461 net472",
  ],
  "netcoreapp2.1": ["netcoreapp2.0 netcoreapp1.0 netstandard2.0", "netcoreapp2.2 netstandard2.1 net461"],
  "netcoreapp2.2": ["netcoreapp2.1 netstandard1.3 netstandard2.0", "netcoreapp3.0 netstandard2.1"],
  "netcoreapp3.0": ["netcoreapp2.2 netcoreapp3.0 netstandard2.0 netstandard2.1", "netcoreapp3.1 net5.0 net472"],
  "netcoreapp3.1": ["netcoreapp3.0 netcoreapp1.0 netstandard1.0 netstandard2.1", "net5.0 net6.0 net48 net5.0-windows"],
  "net5.0": [
    "netcoreapp3.1 netcoreapp1.0 net5.0 netstandard2.0 netstandard2.1",
    "net6.0 net472 net48 net45 net5.0-windows",
  ],
  "net6.0": [
    "net5.0 net6.0 netcoreapp3.1 netstandard1.6 netstandard2.1",
    "net7.0 net8.0 net6.0-windows net481 monoandroid90",
  ],
  "net7.0": ["net6.0 net5.0 netcoreapp2.1 netstandard2.1", "net8.0 net7.0-ios net20"],
  "net8.0": [
    "net7.0 net8.0 netcoreapp3.1 netcoreapp5.0 netstandard2.0 netstandard2.1",
    "net9.0 net10.0 net472 net8.0-windows uap10.0",
  ],
  "net9.0": ["net8.0 net9.0 netstandard2.0", "net10.0 net48"],
  "net10.0": ["net9.0 net8.0 net5.0 net10.0 netcoreapp3.1 netstandard2.1", "net11.0 net10 net45 net10.0-android"],
  "net5.0-windows": [
    "net5.0 net5.0-windows netcoreapp3.1 netstandard2.1",
    "net5.0-windows7.0 net6.0-windows net5.0-ios net48",
  ],
  "net6.0-windows7.0": [
    "net6.0 net5.0-windows net5.0-windows7.0 net6.0-windows",
    "net6.0-windows8.0 net6.0-windows10.0.19041 net7.0-windows",
  ],
  "net8.0-windows10.0.19041": [
    "net8.0 net8.0-windows net8.0-windows7.0 net6.0-windows10.0.17763 net5.0 netstandard2.1",
    "net8.0-windows10.0.22000 net9.0 net8.0-android net472",
  ],
  "net6.0-android": [
    "net6.0 net6.0-android net5.0-android monoandroid monoandroid90 monoandroid10.0 netstandard2.1",
    "net6.0-ios xamarinios10 net6.0-android31.0 tizen40",
  ],
  "net6.0-android31.0": [
    "net6.0-android net6.0-android30 net6.0-android31 net5.0",
    "net6.0-android32 net7.0-android31",
  ],
  "net5.0-android": ["net5.0 netstandard2.1", "monoandroid90 net6.0-android"],
  "net6.0-ios": ["net6.0 net6.0-ios netstandard2.1", "xamarinios10 monotouch monoandroid net6.0-maccatalyst"],
  "net6.0-maccatalyst": ["net6.0 netstandard2.0", "xamarinios10 xamarinmac net6.0-ios"],
  "net6.0-tizen": ["net6.0 tizen40 tizen60 netstandard2.1", "monoandroid net6.0-android"],
  "netstandard1.0": ["netstandard1.0", "netstandard1.1 netstandard2.0 net45 netcoreapp1.0"],
  "netstandard1.6": ["netstandard1.0 netstandard1.5 netstandard1.6", "netstandard2.0 netcoreapp1.0"],
  "netstandard2.0": ["netstandard1.6 netstandard1.0 netstandard2.0", "netstandard2.1 net461 netcoreapp2.0 net5.0"],
  "netstandard2.1": ["netstandard2.0 netstandard1.3 netstandard2.1", "net8.0 netcoreapp3.0 net472"],
  "uap10.0": ["uap10.0 netstandard1.4", "netstandard1.5 uap10.0.15064 net45"],
  "uap10.0.15064": ["uap10.0 netstandard2.0", "netstandard2.1 netcoreapp2.0"],
  tizen30: ["tizen30 netstandard1.6", "netstandard2.0 tizen40"],
  tizen40: ["tizen30 netstandard2.0", "netstandard2.1"],
  tizen60: ["tizen40 netstandard2.1", "net6.0"],
  monoandroid90: ["monoandroid80 netstandard2.1 monoandroid", "monoandroid10.0 xamarinios10"],
  xamarinios10: ["xamarinios10 netstandard2.1", "monoandroid net6.0-ios"],
  "net45-client": ["net45 net40-client netstandard1.1", "netstandard1.2"],
  "net35-cf": ["net35-cf net20-cf", "net35 net20"],
  net463: ["net462 netstandard2.0 dotnet5.6", "netstandard2.1"],
  "net9.0-browser": ["net9.0 net8.0-browser netstandard2.1", "net9.0-windows net10.0-browser"],
  "net8.0-windows10.0.22621": ["net8.0-windows net7.0-windows10.0.19041 netcoreapp3.0", "net8.0-ios net48 uap10.0"],
  "net6.0-macos": ["net6.0 net5.0-macos", "xamarinmac20 net6.0-ios"],
  "netcoreapp5.0": ["net5.0 netcoreapp3.1", "net6.0"],
  dnx452: ["dnx451 dnx net451 net45 aspnet50 dotnet5.2 netstandard1.2", "dnxcore50 netstandard1.3"],
  dnxcore50: ["dotnet dotnet5.4 aspnetcore50 dnxcore netstandard1.5", "dnx451 netstandard1.6 net45"],
  aspnet50: ["dnx45 aspnet", "dnxcore50 aspnetcore50"],
  win8: ["netcore45 winrt45 win dotnet5.2 netstandard1.1", "win81 netcore451 netstandard1.2 net45"],
  win81: ["win8 netcore451 netcore45 winrt45 netstandard1.2", "wpa81 net451 uap10.0"],
  netcore45: ["win8 winrt netstandard1.1", "netcore451 win81"],
  netcore50: ["netcore45 netcore451 netstandard1.4 dotnet5.5", "netstandard1.5 uap10.0"],
  "uap10.0.16299": ["uap win81 win8 wpa81 netcore50 netcore45 dotnet5.5 netstandard2.0", "wp8 net45 netstandard2.1"],
  uap: ["uap10.0 netstandard1.4 win8", "netstandard2.0"],
  wp8: ["wp7 wp75 wp sl3-wp sl4-wp sl4-wp71 sl8-wp netstandard1.0 dotnet5.1", "wp81 sl5 win8 netstandard1.1"],
  wp81: ["wp8 wp7 netstandard1.0", "wpa81 win81"],
  wpa81: ["wpa netstandard1.2 dotnet5.3", "wp81 win81 netstandard1.3"],
  sl5: ["sl4 sl", "sl4-wp net40 netstandard1.0"],
  "netstandardapp1.5": ["netstandardapp1.2 netstandard1.5 netstandard1.0", "netstandard1.6 netcoreapp1.0"],
  "dotnet5.4": ["dotnet dotnet5.1 dotnet5.4", "dotnet5.5 netstandard1.0"],
  monotouch10: ["monotouch netstandard2.1 dotnet5.6", "xamarinios10 monoandroid"],
  xamarinmac20: ["xamarinmac netstandard2.1", "monomac xamarinios"],
  xamarinxboxone: ["netstandard2.0", "netstandard2.1"],
  native: ["native", "net45 win8 netstandard1.0"],
  netnano10: ["netnano1.0", "netnano1.1 netstandard1.0 netmf43"],
  tizen: ["tizen30 netstandard1.6", "tizen40 netstandard2.0"],
  "portable-net45+win8": [
    "portable-net45+win8 portable-net40+win8 portable-net45+win8+wpa81 portable-net40+sl4+win8+wp7 netstandard1.0 netstandard1.1",
    "portable-net451+win81 netstandard1.2 net45 win8 portable-net45+sl5",
  ],
  "portable-net45+win8+wpa81+wp8": [
    "netstandard1.0 portable-net45+win8+wp8+wpa81",
    "netstandard1.1 portable-net45+win8",
  ],
};

const portable: Record<string, readonly [uses: string, refuses: string]> = {
  net45: [
    "portable-net45+win8 portable-net40+sl5 portable-net40+sl4+win8+wp7 any agnostic",
    "portable-net451+win81 unsupported jvm17",
  ],
  net40: ["portable-net40+win8 portable-net40+sl4", "portable-net45+win8 portable-net403+win8"],
  net472: ["portable-net45+win8 portable-net451+win81+wpa81", "portable-win81+wp81 portable-wp81+wpa81"],
  win81: ["portable-net45+win8 portable-win81+wpa81", "portable-net45+wp8"],
  wpa81: ["portable-net45+win8+wpa81", "portable-net45+win8"],
  "net8.0": ["any agnostic", "portable-net45+win8 portable-net45+win8+wp8+wpa81 unsupported"],
  "netcoreapp1.0": ["any", "portable-net45+win8"],
  "netstandard1.1": ["agnostic", "portable-net45+win8"],
  monoandroid90: [
    "portable-net45+win8 portable-net45+win8+wp8 portable-Profile259 portable-net451+win81",
    "portable-net45+sl4 portable-win81+wp81",
  ],
  xamarinmac20: ["portable-net45+win8 portable-net451+win81+wpa81", "portable-net45+sl4"],
  xamarinios10: ["portable-net45+win8+wp8+wpa81", "portable-net40+sl4"],
  "uap10.0": ["portable-net45+win8 portable-win81+wpa81", "portable-net45+wp8 portable-net40+sl5"],
  unsupported: ["unsupported any", "net45 agnostic"],
  any: ["net45 net8.0 any agnostic unsupported", ""],
};

const cases = Object.entries(table).flatMap(([project, [uses, refuses]]) => [
  ...uses.split(" ").map((asset) => [project, "uses", asset, true] as const),
  ...refuses.split(" ").map((asset) => [project, "refuses", asset, false] as const),
]);

describe("framework compatibility", () => {
  const special = Object.entries(portable).flatMap(([project, [uses, refuses]]) => [
    ...uses.split(" ").map((asset) => [project, "uses", asset, true] as const),
    ...refuses
      .split(" ")
      .filter(Boolean)
      .map((asset) => [project, "refuses", asset, false] as const),
  ]);
  it.each(special)("%s %s %s", (project, _verb, asset, compatible) => {
    expect(isCompatible(readFramework(project), readFramework(asset))).toBe(compatible);
  });

  it("is checked on more than 250 pairs", () => {
    expect(cases.length).toBeGreaterThan(250);
  });

  it.each(cases)("%s %s %s", (project, _verb, asset, compatible) => {
    expect(isCompatible(framework(project), framework(asset))).toBe(compatible);
  });

  const knownFrameworks = fc
    .constantFrom(...new Set(cases.flatMap(([project, , asset]) => [project, asset])))
    .map(framework);

  // a retired family's mapping table names only the uses that it was made for
  const families = [".NETFramework", ".NETCoreApp", ".NETStandard"];
  const current = knownFrameworks.filter(({ identifier }) => families.includes(identifier));

  it("lets every framework use itself", () => {
    fc.assert(fc.property(knownFrameworks, (moniker) => isCompatible(moniker, moniker)));
  });

  it("passes on: what an asset can use, a project that uses the asset can use", () => {
    fc.assert(
      fc.property(current, current, current, (project, asset, below) => {
        if (isCompatible(project, asset) && isCompatible(asset, below)) expect(isCompatible(project, below)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("gives a Windows project the platform version that the SDK gives it", () => {
    expect(isCompatible(asProject(framework("net8.0-windows")), framework("net8.0-windows7.0"))).toBe(true);
    expect(isCompatible(asProject(framework("net8.0-windows")), framework("net8.0-windows10.0.19041"))).toBe(false);
    expect(asProject(framework("net8.0-ios"))).toEqual(framework("net8.0-ios"));
  });
});
