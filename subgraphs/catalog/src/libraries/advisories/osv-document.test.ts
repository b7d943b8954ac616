import { doAtOnce } from "@factory/runtime/threads/long-work";
import { InputProblems } from "../../ground/input-problems/input-problems.js";
import { osvLimits, readOsvDocument } from "./osv-document.js";

/** A document as databases for NuGet packages publish it. */
const document = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  schema_version: "1.6.0",
  id: "GHSA-aaaa-bbbb-cccc",
  modified: "2026-01-31T12:00:00.5Z",
  summary: "Denial of service",
  aliases: ["CVE-2026-1234"],
  severity: [{ type: "CVSS_V3", score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H" }],
  affected: [
    {
      package: { ecosystem: "NuGet", name: "Acme.Json", purl: "pkg:nuget/Acme.Json" },
      ranges: [{ type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed: "13.0.1" }] }],
    },
  ],
  references: [
    { type: "WEB", url: "https://example.com/notes" },
    { type: "ADVISORY", url: "https://example.com/advisory" },
  ],
  database_specific: { severity: "CRITICAL" },
  ...changes,
});

const now = new Date("2026-06-01T12:00:00Z");

function read(members: Record<string, unknown>) {
  const problems = new InputProblems("ADVISORIES_INVALID");
  const advisory = doAtOnce(readOsvDocument(members, { pointer: "/documents/0", problems, now }));
  try {
    problems.refuse();
  } catch (error) {
    const { errors } = (error as { facts: { errors: { pointer: string; detail: string }[] } }).facts;
    return { advisory, errors };
  }
  return { advisory, errors: [] };
}

const affecting = (entry: Record<string, unknown>) =>
  document({ affected: [{ package: { ecosystem: "NuGet", name: "Acme.Json" }, ...entry }] });

describe("readOsvDocument", () => {
  it("keeps the facts that a scan shows", () => {
    expect(read(document()).advisory).toEqual({
      advisoryId: "GHSA-aaaa-bbbb-cccc",
      summary: "Denial of service",
      aliases: ["CVE-2026-1234"],
      severity: "High",
      url: "https://example.com/advisory",
      modifiedAt: new Date("2026-01-31T12:00:00.500Z"),
      withdrawnAt: null,
      packages: [
        {
          packageName: "Acme.Json",
          severity: null,
          affected: { intervals: [{ from: null, to: "13.0.1", inclusive: false }], versions: [] },
        },
      ],
    });
  });

  it.each([
    [
      "the newest CVSS version",
      [
        { type: "CVSS_V3", score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H" },
        { type: "CVSS_V4", score: "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N" },
      ],
      "LOW",
      "Critical",
    ],
    [
      "a readable vector in place of a broken newer one",
      [
        { type: "CVSS_V4", score: "CVSS:4.0/nonsense" },
        { type: "CVSS_V2", score: "AV:N/AC:L/Au:N/C:P/I:P/A:P" },
      ],
      "LOW",
      "High",
    ],
    [
      "the word of the database without a readable vector",
      [{ type: "CVSS_V3", score: "CVSS:3.1/AV:N" }],
      "MODERATE",
      "Moderate",
    ],
    ["no severity where the document states none", [], undefined, null],
  ])("takes %s", (_, severity, word, expectedSeverity) => {
    expect(read(document({ severity, database_specific: { severity: word } })).advisory?.severity).toBe(
      expectedSeverity,
    );
  });

  it("lets the severity of a package count before that of the advisory", () => {
    const { advisory } = read(affecting({ database_specific: { severity: "low" }, versions: ["1.0.0"] }));
    expect(advisory?.packages).toMatchObject([{ severity: "Low", affected: { versions: ["1.0.0"] } }]);
  });

  it("leaves out other ecosystems and ranges of commits", () => {
    const ranges = [
      { type: "GIT", repo: "https://example.com/x.git", events: [{ introduced: "0" }, { fixed: "abcdef" }] },
    ];
    const affectedEntries = [
      { package: { ecosystem: "npm", name: "acme" }, ranges },
      { package: { ecosystem: "NuGet", name: "Acme.Json" }, ranges, versions: ["1.0.0"] },
    ];
    expect(read(document({ affected: affectedEntries })).advisory?.packages).toEqual([
      { packageName: "Acme.Json", severity: null, affected: { intervals: [], versions: ["1.0.0"] } },
    ]);
  });

  it("joins the entries of one package", () => {
    const entry = (name: string, introducedVersion: string, fixedVersion: string) => ({
      package: { ecosystem: "NuGet", name },
      ranges: [{ type: "SEMVER", events: [{ introduced: introducedVersion }, { fixed: fixedVersion }] }],
    });
    const affectedEntries = [entry("Acme.Json", "1.0.0", "1.5.0"), entry("acme.json", "2.0.0", "2.1.0")];
    expect(read(document({ affected: affectedEntries })).advisory?.packages).toMatchObject([
      {
        affected: {
          intervals: [
            { from: "1.0.0", to: "1.5.0" },
            { from: "2.0.0", to: "2.1.0" },
          ],
        },
      },
    ]);
  });

  const ratedEntry = (word: string | undefined) => ({
    package: { ecosystem: "NuGet", name: "Acme.Json" },
    ...(word === undefined ? {} : { database_specific: { severity: word } }),
  });
  it.each([
    ["the higher of two", "HIGH", ["low", "critical"], "Critical"],
    ["the higher one in any order", "HIGH", ["critical", "low"], "Critical"],
    ["that of the advisory where it is higher than the one of an entry", "CRITICAL", [undefined, "low"], null],
    ["that of the advisory in any order", "CRITICAL", ["low", undefined], null],
    ["that of an entry where it is higher than the one of the advisory", "LOW", [undefined, "high"], "High"],
    ["none, which counts as Critical, where an entry and the advisory have none", undefined, ["high", undefined], null],
  ])("takes for the entries of one package %s", (_, word, entries, expectedSeverity) => {
    const affectedEntries = entries.map(ratedEntry);
    const { advisory } = read(
      document({ severity: [], database_specific: { severity: word }, affected: affectedEntries }),
    );
    expect(advisory?.packages).toMatchObject([{ severity: expectedSeverity }]);
  });

  it("cuts a summary to text that can be stored", () => {
    const { summary } = read(document({ summary: `${"a".repeat(499)}\u{1f600}` })).advisory ?? {};
    expect(summary).toBe(`${"a".repeat(499)}\ufffd`);
  });

  it("accepts a time that is a few minutes ahead", () => {
    expect(read(document({ modified: "2026-06-01T12:10:00Z" })).errors).toEqual([]);
  });

  const many = (count: number, item: unknown) => Array.from({ length: count }, () => item);
  const entries = (count: number, entryOf: (at: number) => Record<string, unknown>) =>
    document({
      affected: Array.from({ length: count }, (_, at) => ({
        package: { ecosystem: "NuGet", name: at % 2 === 0 ? "Acme.Json" : "ACME.json" },
        ...entryOf(at),
      })),
    });
  it.each<[string, Record<string, unknown>, string]>([
    ["without an id", document({ id: undefined }), "/id"],
    ["with an id that is no name", document({ id: "a b" }), "/id"],
    ["without a time of change", document({ modified: "yesterday" }), "/modified"],
    ["with an impossible time", document({ modified: "2026-99-31T12:00:00Z" }), "/modified"],
    ["with a change in the future", document({ modified: "2026-06-01T12:10:01Z" }), "/modified"],
    ["with a change in another age", document({ modified: "9999-01-01T00:00:00Z" }), "/modified"],
    ["with a withdrawal in the future", document({ withdrawn: "2026-06-01T12:11:00Z" }), "/withdrawn"],
    ["that is published in the future", document({ published: "2026-06-01T12:11:00Z" }), "/published"],
    ["with a withdrawal that is no time", document({ withdrawn: 5 }), "/withdrawn"],
    ["whose packages are no list", document({ affected: {} }), "/affected"],
    ["whose packages are no objects", document({ affected: [null] }), "/affected"],
    ["with too many packages", document({ affected: many(osvLimits.affected + 1, {}) }), "/affected"],
    [
      "with too many packages of NuGet",
      document({
        affected: Array.from({ length: osvLimits.packages + 1 }, (_, at) => ({
          package: { ecosystem: "NuGet", name: `A${at}` },
        })),
      }),
      "/affected",
    ],
    [
      "with a package that is no package ID",
      document({ affected: [{ package: { ecosystem: "NuGet", name: "../x" } }] }),
      "/affected/0/package/name",
    ],
    ["with too many ranges", affecting({ ranges: many(osvLimits.ranges + 1, {}) }), "/affected/0/ranges"],
    [
      "with too many events",
      affecting({ ranges: [{ type: "SEMVER", events: many(osvLimits.events + 1, {}) }] }),
      "/affected/0/ranges/0/events",
    ],
    [
      "with an event that is no version",
      affecting({ ranges: [{ type: "SEMVER", events: [{ introduced: "one" }] }] }),
      "/affected/0/ranges/0",
    ],
    [
      "with an event of another type",
      affecting({ ranges: [{ type: "SEMVER", events: [{ introduced: 1 }] }] }),
      "/affected/0/ranges/0/events/0",
    ],
    [
      "with too many versions",
      affecting({ versions: many(osvLimits.versionsOfPackage + 1, "1.0.0") }),
      "/affected/0/versions",
    ],
    [
      "with too many versions to store",
      affecting({ versions: Array.from({ length: 600 }, (_, at) => `1.0.${at}`) }),
      "/affected/0",
    ],
    [
      "with too many ranges to store in the entries of one package",
      entries(2, (at) => ({
        ranges: [
          {
            type: "SEMVER",
            events: Array.from({ length: 60 }, (_, range) => [
              { introduced: `${at}.${range}.0` },
              { fixed: `${at}.${range}.1` },
            ]).flat(),
          },
        ],
      })),
      "/affected/0",
    ],
    [
      "with too many versions to store in the entries of one package",
      entries(2, (at) => ({ versions: Array.from({ length: 300 }, (_, version) => `${at}.0.${version}`) })),
      "/affected/0",
    ],
    [
      "with too many events in the entries of one package",
      entries(3, () => ({ ranges: [{ type: "SEMVER", events: many(osvLimits.events, { introduced: "1.0.0" }) }] })),
      "/affected/2/ranges/0",
    ],
    [
      "with too many versions in the entries of one package",
      entries(2, () => ({ versions: many(osvLimits.versionsOfPackage - 1, "1.0.0") })),
      "/affected/1/versions",
    ],
    ["with too many aliases", document({ aliases: many(osvLimits.aliases + 1, "CVE-1") }), "/aliases"],
    ["with too many scores", document({ severity: many(osvLimits.scores + 1, {}) }), "/severity"],
  ])("refuses a document %s and says where", (_, members, pointer) => {
    const { advisory, errors } = read(members);
    expect(advisory).toBeUndefined();
    expect(errors.map((error) => error.pointer)).toEqual([`/documents/0${pointer}`]);
  });

  it("reads a large document in small steps, and nothing after its first fault", () => {
    const events = Array.from({ length: osvLimits.events }, (_, at) =>
      at % 2 === 0 ? { introduced: `1.${at}.0` } : { fixed: `1.${at}.0` },
    );
    const versions = Array.from({ length: osvLimits.versionsOfPackage }, (_, at) => `2.0.${at}`);
    const stepsOf = (members: Record<string, unknown>) => {
      const problems = new InputProblems("ADVISORIES_INVALID");
      return [...readOsvDocument(members, { pointer: "", problems, now })].length;
    };
    const ranges = many(2, { type: "SEMVER", events });
    expect(stepsOf(affecting({ ranges, versions }))).toBeGreaterThan(50);
    expect(stepsOf(entries(200, () => ({ versions: ["1.0.0"] })))).toBeGreaterThan(200);
    expect(stepsOf(entries(200, () => ({ versions: 1 })))).toBeLessThan(5);
  });
});
