import { type Framework, frameworkName, parseFramework } from "./framework.js";
import { nearestFramework } from "./nearest-framework.js";

function framework(text: string): Framework {
  const parsed = parseFramework(text);
  if (parsed === undefined) throw new Error(`${text} is no framework`);
  return parsed;
}

const cases: readonly (readonly [project: string, candidates: string, nearest: string | undefined])[] = [
  ["net8.0", "net6.0 net8.0 netstandard2.0", "net8.0"],
  ["net9.0", "net6.0 net8.0 net10.0", "net8.0"],
  ["net8.0", "netstandard2.0 netstandard2.1", "netstandard2.1"],
  ["net8.0", "netstandard1.0 netstandard1.6", "netstandard1.6"],
  ["net8.0", "netcoreapp3.1 netstandard2.1", "netcoreapp3.1"],
  ["net8.0", "netcoreapp1.0 netstandard2.1", "netcoreapp1.0"],
  ["net8.0", "netcoreapp2.0 netstandard2.0", "netcoreapp2.0"],
  ["net8.0", "net472 net48", undefined],
  ["net8.0", "net472 netstandard2.0", "netstandard2.0"],
  ["net8.0", "net9.0 net10.0", undefined],
  ["net8.0", "", undefined],
  ["net8.0", "net8.0-windows net6.0", "net6.0"],
  ["net8.0", "net8.0-windows", undefined],
  ["net8.0-windows", "net8.0 net8.0-windows", "net8.0-windows"],
  ["net8.0-windows", "net8.0 net6.0-windows", "net8.0"],
  ["net6.0-windows", "net6.0 net5.0-windows", "net6.0"],
  ["net6.0-windows7.0", "net6.0 net6.0-windows", "net6.0-windows"],
  ["net8.0-windows10.0.19041", "net8.0-windows7.0 net8.0-windows10.0.17763 net8.0", "net8.0-windows10.0.17763"],
  ["net8.0-windows10.0.19041", "net8.0-windows10.0.22000 net8.0-windows7.0", "net8.0-windows7.0"],
  ["net8.0-windows10.0.19041", "net6.0-windows10.0.17763 net8.0-windows7.0", "net8.0-windows7.0"],
  ["net6.0-android", "monoandroid90 net6.0 netstandard2.1", "net6.0"],
  ["net6.0-android", "monoandroid90 netstandard2.1", "monoandroid90"],
  ["net6.0-android", "monoandroid81 monoandroid90 xamarinios10", "monoandroid90"],
  ["net6.0-ios", "xamarinios10 netstandard2.0", "netstandard2.0"],
  ["net6.0-tizen", "tizen4.0 netstandard2.1", "tizen4.0"],
  ["net472", "net45 netstandard2.0", "net45"],
  ["net472", "net45 net461 netstandard2.0", "net461"],
  ["net472", "net20 netstandard2.0", "net20"],
  ["net472", "netstandard1.3 netstandard2.0 netstandard2.1", "netstandard2.0"],
  ["net461", "netstandard2.0 netstandard1.6", "netstandard2.0"],
  ["net461", "net462 netstandard1.0", "netstandard1.0"],
  ["net45", "netstandard1.0 netstandard1.1 netstandard1.2", "netstandard1.1"],
  ["net45", "net40 net40-client", "net40"],
  ["net40-client", "net35 net40-client net40", "net40-client"],
  ["net40", "net20 net35", "net35"],
  ["net40", "net45 netstandard1.0", undefined],
  ["netcoreapp3.1", "netcoreapp2.1 netcoreapp3.0 netstandard2.1 net5.0", "netcoreapp3.0"],
  ["netcoreapp2.1", "netstandard2.0 netstandard2.1", "netstandard2.0"],
  ["netcoreapp1.0", "netstandard1.6 netstandard1.3", "netstandard1.6"],
  ["net5.0", "netcoreapp3.1 netcoreapp2.1", "netcoreapp3.1"],
  ["netstandard2.0", "netstandard1.3 netstandard1.6 net461", "netstandard1.6"],
  ["netstandard1.0", "netstandard1.1", undefined],
  ["net10.0", "net10", undefined],
];

describe("the nearest framework", () => {
  it.each(cases)("for %s among [%s] is %s", (project, candidates, nearest) => {
    const parsed = candidates.split(" ").filter(Boolean).map(framework);
    for (const order of [parsed, parsed.toReversed()]) {
      const found = nearestFramework(framework(project), order);
      expect(found && frameworkName(found)).toBe(nearest);
    }
  });
});
