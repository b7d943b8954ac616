import { PackageAdvisories } from "./matching-advisories.js";

const row = (advisory: string, intervals: { from: string | null; to: string | null; inclusive: boolean }[]) => ({
  package_key: "acme",
  advisory_id: advisory,
  severity: null,
  summary: null,
  aliases: [],
  url: null,
  intervals,
  versions: [],
});
const everything = [{ from: null, to: null, inclusive: false }];

describe("PackageAdvisories", () => {
  it("finds the advisories of a package whatever the case of its name", () => {
    const rows = [row("A", [{ from: "1.0.0", to: "2.0.0", inclusive: false }]), row("B", everything)];
    const advisories = new PackageAdvisories(rows, { advisories: 10, matches: 10 });
    expect(advisories.affecting("ACME", "1.5.0").map(({ advisoryId }) => advisoryId)).toEqual(["A", "B"]);
    expect(advisories.affecting("Acme", "2.0.0").map(({ advisoryId }) => advisoryId)).toEqual(["B"]);
    expect(advisories.affecting("Other", "1.5.0")).toEqual([]);
    expect(advisories.affecting("Acme", "no version")).toEqual([]);
    expect(advisories.complete).toBe(true);
  });

  it("says that rows are missing, and still shows the others", () => {
    const advisories = new PackageAdvisories([row("A", everything)], { advisories: 1, matches: 10 });
    expect(advisories.affecting("Acme", "1.0.0")).toHaveLength(1);
    expect(advisories.complete).toBe(false);
  });

  it("ends at its limits for a tenant with thousands of versions and advisories of one package", () => {
    const intervals = Array.from({ length: 100 }, (_, at) => ({
      from: `${2 * at}.0.0`,
      to: `${2 * at + 1}.0.0`,
      inclusive: false,
    }));
    const rows = Array.from({ length: 2000 }, (_, at) => row(`A${at}`, intervals));
    const startUsage = process.cpuUsage();
    const few = new PackageAdvisories(rows, { advisories: 5000, matches: 2000 });
    const matchCounts = Array.from({ length: 10_000 }, (_, at) => few.affecting("Acme", `1.${at}.0`).length);
    expect(matchCounts.reduce((sum, count) => sum + count, 0)).toBe(0);
    const many = new PackageAdvisories(rows, { advisories: 5000, matches: 50 });
    expect(many.affecting("Acme", "0.5.0")).toHaveLength(50);
    expect([few.complete, many.complete]).toEqual([false, false]);
    // minutes without limits
    expect(process.cpuUsage(startUsage).user / 1000).toBeLessThan(20_000);
  });
});
