import { doAtOnce } from "@factory/runtime/threads/long-work";
import type { ScannedPackage } from "./resolution/scanned-package.js";
import { withinSize } from "./stored-size.js";

const scannedPackage = (ref: string, summary: string, dependsOn: string[] = []): ScannedPackage => ({
  ref,
  packageName: ref,
  version: "1.0.0",
  requested: null,
  direct: true,
  frameworks: [],
  status: "Unknown",
  libraryVersionId: null,
  license: null,
  vulnerabilities: [{ advisoryId: "A", severity: null, summary, aliases: [], url: null, fixedVersions: [] }],
  dependsOn,
});

describe("withinSize", () => {
  it("keeps everything that fits", () => {
    const packages = [scannedPackage("a", "s", ["b"]), scannedPackage("b", "s")];
    expect(doAtOnce(withinSize(packages, 10_000))).toEqual({ packages, complete: true });
  });

  it("keeps packages before their vulnerabilities, and no reference to one that is left out", () => {
    const packages = [
      scannedPackage("a", "é".repeat(600), ["b"]),
      scannedPackage("b", "s", ["c"]),
      scannedPackage("c", "s"),
    ];
    const sizedPackages = doAtOnce(withinSize(packages, 900));
    expect(sizedPackages.complete).toBe(false);
    expect(
      sizedPackages.packages.map(({ ref, vulnerabilities, dependsOn }) => [ref, vulnerabilities.length, dependsOn]),
    ).toEqual([
      ["a", 0, []],
      ["b", 1, ["c"]],
      ["c", 1, []],
    ]);
    const cut = doAtOnce(withinSize(packages, 400));
    expect(cut.packages.map(({ ref }) => ref)).toEqual(["a", "b"]);
    expect(cut.packages[1]?.dependsOn).toEqual([]);
    expect(Buffer.byteLength(JSON.stringify(sizedPackages.packages))).toBeLessThanOrEqual(901);
  });
});
