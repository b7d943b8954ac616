import { ScanDependenciesResponse } from "@factory/schema/proto/generated/factory/catalog/v1/promotion";
import { scanAnswer } from "./scan-answer.js";

const scannedPackage = (at: number, summary: string | null) => ({
  ref: `p${at}@1.0.0`,
  packageName: `P${at}`,
  version: "1.0.0",
  requested: null,
  direct: true,
  frameworks: ["net8.0"],
  status: "Unknown" as const,
  libraryVersionId: null,
  license: null,
  vulnerabilities: [
    { advisoryId: `A-${at}`, severity: null, summary, aliases: [""], url: null, fixedVersions: ["2.0.0"] },
  ],
  dependsOn: [],
});
const scanWith = (packages: ReturnType<typeof scannedPackage>[]) => ({
  dependencyScanId: "scn_1",
  templateVersionId: null,
  contentDigest: null,
  runtime: "net8.0",
  libraries: null,
  complete: true,
  limits: [],
  packageCount: packages.length,
  unknownCount: 0,
  vulnerabilityCounts: { low: 0, moderate: 0, high: 0, critical: 0, unrated: 0 },
  scannedAt: "2026-01-01T00:00:00.000Z",
  packages,
});

describe("the answer of a scan over gRPC", () => {
  it("has every package of a usual scan", () => {
    const answer = scanAnswer(scanWith([scannedPackage(1, "Short."), scannedPackage(2, null)]));
    expect([answer.packages.length, answer.omittedPackages]).toEqual([2, 0]);
  });

  it("is a message that servers and clients accept, and counts the packages that it omits", () => {
    const answer = scanAnswer(scanWith(Array.from({ length: 2000 }, (_, at) => scannedPackage(at, "é".repeat(500)))));
    expect(answer.dependencyScanId).toBe("scn_1");
    expect(answer.packages.length + answer.omittedPackages).toBe(2000);
    expect(answer.packages[0]?.ref).toBe("p0@1.0.0");
    const bytes = ScanDependenciesResponse.encode(ScanDependenciesResponse.fromPartial(answer)).finish().length;
    expect(bytes).toBeLessThan(1024 * 1024);
    expect(bytes).toBeGreaterThan(512 * 1024);
  });
});
