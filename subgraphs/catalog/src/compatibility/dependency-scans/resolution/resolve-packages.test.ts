import type { CatalogLibrary } from "../../compatibility/evaluation/catalog-library.js";
import { scanLimits } from "../limits/scan-limits.js";
import { resolvePackages } from "./resolve-packages.js";

type Version = Partial<CatalogLibrary["versions"][number]>;

/** A catalog in short: package, version, and the packages that it needs with their ranges. */
function catalogOf(
  sketch: Record<string, Record<string, Record<string, string> | Version>>,
): Map<string, CatalogLibrary> {
  const versionOf = (packageName: string, version: string, facts: object) => ({
    libraryVersionId: `lbv_${packageName}_${version}`,
    version,
    status: "Published" as const,
    targetFrameworks: [],
    conflictsWith: [],
    dependencies: [],
    ...(isDependencies(facts)
      ? { dependencies: Object.entries(facts).map(([name, range]) => ({ packageName: name, range })) }
      : facts),
  });
  const libraries = Object.entries(sketch).map(([packageName, versions]): [string, CatalogLibrary] => [
    packageName.toLowerCase(),
    {
      libraryId: `lib_${packageName}`,
      packageName,
      capabilities: [],
      versions: Object.entries(versions).map(([version, facts]) => versionOf(packageName, version, facts)),
    },
  ]);
  return new Map(libraries);
}

function isDependencies(facts: object): facts is Record<string, string> {
  return Object.values(facts).every((value) => typeof value === "string");
}

const project = (references: Record<string, string | null>, changes: object = {}) => ({
  path: "App.csproj",
  frameworks: ["net8.0"],
  references: Object.entries(references).map(([packageName, requestedVersion]) => ({
    packageName,
    requested: requestedVersion,
  })),
  pins: [],
  ...changes,
});
const packageLines = (result: ReturnType<typeof resolvePackages>) =>
  result.packages.map(({ ref, status, dependsOn }) => `${ref} ${status} ${dependsOn.join(",")}`.trimEnd());

describe("resolvePackages", () => {
  it("follows dependencies as a restore does, and connects them", () => {
    const catalog = catalogOf({
      A: { "1.0.0": { B: "1.0.0" } },
      B: { "1.0.0": { C: "[1.0.0,2.0.0)" }, "2.0.0": {} },
      C: { "1.0.0": {}, "1.2.0": {} },
    });
    expect(packageLines(resolvePackages({ projects: [project({ A: "1.0.0" })], catalog }))).toEqual([
      "a@1.0.0 Published b@1.0.0",
      "b@1.0.0 Published c@1.0.0",
      "c@1.0.0 Published",
    ]);
  });

  it("lists what the catalog does not have as Unknown: packages, versions, ranges and expressions", () => {
    const catalog = catalogOf({ A: { "1.0.0": { Gone: "2.0", Old: "[5.0,6.0)" } }, Old: { "1.0.0": {} } });
    const references = { A: "1.0.0", Foreign: "3.0.0", Old: "2.0.0", Wild: "1.*", Odd: "$(Version)", Bare: null };
    const result = resolvePackages({ projects: [project(references)], catalog });
    expect(packageLines(result)).toEqual([
      "a@1.0.0 Published gone@?2.0",
      "bare@? Unknown",
      "foreign@3.0.0 Unknown",
      "gone@?2.0 Unknown",
      "odd@?$(Version) Unknown",
      "old@2.0.0 Unknown",
      "wild@?1.* Unknown",
    ]);
    expect(result.packages.filter(({ direct }) => !direct).map(({ ref }) => ref)).toEqual(["gone@?2.0"]);
  });

  it("takes the version that a range, an exact range and a floating one come to", () => {
    const catalog = catalogOf({
      A: { "1.0.0": {}, "1.5.0": {}, "2.0.0": {} },
      B: { "1.0.0": {} },
      C: { "1.0.0": {}, "1.9.0": {} },
    });
    const { packages } = resolvePackages({ projects: [project({ A: "(1.0,2.0]", B: "[1.0.0]", C: "1.*" })], catalog });
    expect(packages.map(({ ref }) => ref)).toEqual(["a@1.5.0", "b@1.0.0", "c@1.9.0"]);
  });

  it("joins projects and frameworks, and keeps versions that differ", () => {
    const catalog = catalogOf({ A: { "1.0.0": {}, "2.0.0": {} } });
    const projects = [project({ A: "1.0.0" }, { frameworks: ["net8.0", "net9.0"] }), project({ A: "2.0.0" })];
    const { packages } = resolvePackages({ projects, catalog });
    expect(packages.map(({ ref, frameworks }) => [ref, frameworks])).toEqual([
      ["a@1.0.0", ["net8.0", "net9.0"]],
      ["a@2.0.0", ["net8.0"]],
    ]);
  });

  it("gives pinned versions to transitive packages, also to those that a pin brings in", () => {
    const catalog = catalogOf({
      A: { "1.0.0": { B: "1.0.0" } },
      B: { "1.0.0": {}, "2.0.0": { C: "1.0.0" } },
      C: { "1.0.0": {}, "3.0.0": {} },
      D: { "1.0.0": {} },
    });
    const pins = ["B 2.0.0", "C 3.0.0", "D 1.0.0"].map((text) => {
      const [packageName = "", requestedVersion = ""] = text.split(" ");
      return { packageName, requested: requestedVersion };
    });
    expect(packageLines(resolvePackages({ projects: [project({ A: "1.0.0" }, { pins })], catalog }))).toEqual([
      "a@1.0.0 Published b@2.0.0",
      "b@2.0.0 Published c@3.0.0",
      "c@3.0.0 Published",
    ]);
  });

  it("shows state, license and registered vulnerabilities of a version", () => {
    const license = { kind: "Expression" as const, value: "MIT" };
    const vulnerabilities = [{ severity: "High" as const, advisoryUrl: "https://example.com/GHSA-1" }];
    const catalog = catalogOf({ A: { "1.0.0": { status: "Retired", license, vulnerabilities, dependencies: [] } } });
    expect(resolvePackages({ projects: [project({ A: "1.0.0" })], catalog }).packages).toMatchObject([
      {
        status: "Retired",
        license,
        libraryVersionId: "lbv_A_1.0.0",
        vulnerabilities: [{ severity: "High", url: "https://example.com/GHSA-1" }],
      },
    ]);
  });

  it("ends a cycle, a deep chain and a wide set at its limits, and says so", () => {
    const cycle = catalogOf({ A: { "1.0.0": { B: "1.0.0" } }, B: { "1.0.0": { A: "1.0.0" } } });
    expect(resolvePackages({ projects: [project({ A: "1.0.0" })], catalog: cycle })).toMatchObject({ limits: [] });
    const names = Array.from({ length: 100 }, (_, at) => `P${String(at).padStart(3, "0")}`);
    const chain = catalogOf(
      Object.fromEntries(
        names.map((name, at) => [name, { "1.0.0": names[at + 1] ? { [String(names[at + 1])]: "1.0.0" } : {} }]),
      ),
    );
    const deep = resolvePackages({ projects: [project({ P000: "1.0.0" })], catalog: chain });
    expect(deep.limits).toEqual(["Depth"]);
    expect(deep.packages).toHaveLength(scanLimits.depth);
    const wide = Object.fromEntries(Array.from({ length: scanLimits.packages + 1 }, (_, at) => [`W${at}`, "1.0.0"]));
    const result = resolvePackages({ projects: [project(wide)], catalog: new Map() });
    expect(result.limits).toEqual(["Packages"]);
    expect(result.packages).toHaveLength(scanLimits.packages);
    const frameworks = Array.from({ length: scanLimits.resolutions + 1 }, () => "net8.0");
    expect(resolvePackages({ projects: [project({}, { frameworks })], catalog: new Map() }).limits).toEqual([
      "Projects",
    ]);
  });
});
