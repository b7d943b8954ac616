import fc from "fast-check";
import { type Framework, parseFramework } from "./framework.js";
import { asProject, isCompatible } from "./framework-compatibility.js";

function framework(text: string): Framework {
  const parsed = parseFramework(text);
  if (parsed === undefined) throw new Error(`${text} is no framework`);
  return parsed;
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
};

const cases = Object.entries(table).flatMap(([project, [uses, refuses]]) => [
  ...uses.split(" ").map((asset) => [project, "uses", asset, true] as const),
  ...refuses.split(" ").map((asset) => [project, "refuses", asset, false] as const),
]);

describe("framework compatibility", () => {
  it("is checked on more than 250 pairs", () => {
    expect(cases.length).toBeGreaterThan(250);
  });

  it.each(cases)("%s %s %s", (project, _verb, asset, expected) => {
    expect(isCompatible(framework(project), framework(asset))).toBe(expected);
  });

  const known = fc.constantFrom(...new Set(cases.flatMap(([project, , asset]) => [project, asset]))).map(framework);

  it("lets every framework use itself", () => {
    fc.assert(fc.property(known, (one) => isCompatible(one, one)));
  });

  it("passes on: what an asset can use, a project that uses the asset can use", () => {
    fc.assert(
      fc.property(known, known, known, (project, asset, below) => {
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
