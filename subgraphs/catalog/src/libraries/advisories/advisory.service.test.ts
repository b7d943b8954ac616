import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { type Scope, scopes } from "@factory/schema/scopes";
import { aPrincipal, type CatalogFixture, startCatalogFixture } from "../../catalog.fixture.js";

let fixture: CatalogFixture;
let developer: Principal;
let approver: Principal;

beforeAll(async () => {
  fixture = await startCatalogFixture({ verify: () => Promise.reject(new Error("nobody asks")) });
});
afterAll(() => fixture.close());
beforeEach(() => {
  developer = aPrincipal({ scopes: scopes.filter((scope) => scope !== "governance.approve") });
  approver = samePlace(["libraries.write", "libraries.read", "governance.approve"]);
});

const samePlace = (scopes: readonly Scope[]) => aPrincipal({ tenantId: developer.tenantId ?? "", scopes });

const askForScans = () =>
  fixture.rows(
    `insert into catalog.tenant_projections (tenant_id, version, slug, status, edition_code, subscription_status,
       settings, limits, stored_at) values ($1, 1, 'acme', 'Active', 'Free', '', $2, '{}', now())`,
    decodeId("ten", developer.tenantId ?? ""),
    JSON.stringify({ "governance.publish.scanSeverity": "High" }),
  );

const packageOf = (name: string, fixedVersion = "2.0.0") => ({
  package: { ecosystem: "NuGet", name },
  ranges: [{ type: "ECOSYSTEM", events: [{ introduced: "1.0.0" }, { fixed: fixedVersion }] }],
});
const advisory = (changes: object = {}) => ({
  id: "GHSA-1",
  modified: "2026-01-01T00:00:00Z",
  database_specific: { severity: "HIGH" },
  affected: [packageOf("Acme"), packageOf("Other")],
  ...changes,
});
const later = { modified: "2026-02-01T00:00:00Z" };
const withdrawn = { ...later, withdrawn: "2026-02-01T00:00:00Z" };

/** As GraphQL writes a value: member names without quotes. */
const literal = (value: unknown): string => JSON.stringify(value).replace(/"(\w+)":/g, "$1:");
const importing = async (by: Principal, ...documents: object[]) =>
  (
    await fixture.run<{ importAdvisories: object }>(
      by,
      `mutation { importAdvisories(input: { documents: ${literal(documents)} }) { imported unchanged ignored refused } }`,
    )
  ).importAdvisories;
const deleting = async (by: Principal, ...ids: string[]) =>
  (
    await fixture.run<{ deleteAdvisories: { deleted: number } }>(
      by,
      `mutation { deleteAdvisories(input: { advisoryIds: ${literal(ids)} }) { deleted } }`,
    )
  ).deleteAdvisories.deleted;
const advisoriesShown = async (packageName = "Acme") =>
  (
    await fixture.run<{ packageAdvisories: { modifiedAt: string }[] }>(
      developer,
      `{ packageAdvisories(packageName: "${packageName}") { advisoryId severity withdrawnAt modifiedAt } }`,
    )
  ).packageAdvisories;
const refusalOf = async (work: Promise<unknown>): Promise<Record<string, unknown> | undefined> => {
  try {
    await work;
  } catch (error) {
    return (error as { extensions: Record<string, unknown> }).extensions;
  }
  return undefined;
};

describe("Mutation.importAdvisories", () => {
  const weaker: [string, { affected?: object[]; [member: string]: unknown }][] = [
    ["is withdrawn", withdrawn],
    ["affects no package", { ...later, affected: [] }],
    ["affects fewer packages", { ...later, affected: [packageOf("Acme")] }],
    ["affects fewer versions", { ...later, affected: [packageOf("Acme", "1.9.0"), packageOf("Other")] }],
    ["has a lower severity", { ...later, database_specific: { severity: "LOW" } }],
    [
      "has a lower severity for a package",
      { ...later, affected: [{ ...packageOf("Acme"), database_specific: { severity: "LOW" } }, packageOf("Other")] },
    ],
  ];

  it.each(weaker)("needs governance.approve for a copy that %s while scans are required", async (_, change) => {
    await importing(developer, advisory());
    await askForScans();
    const other = advisory({ id: "GHSA-2" });
    const refusedAnswer = { imported: 1, unchanged: 0, ignored: 0, refused: ["GHSA-1"] };
    expect(await importing(developer, advisory(change), other)).toEqual(refusedAnswer);
    expect(await advisoriesShown()).toMatchObject([
      { advisoryId: "GHSA-1", severity: "High", withdrawnAt: null, modifiedAt: "2026-01-01T00:00:00.000Z" },
      { advisoryId: "GHSA-2" },
    ]);
    const agent: Principal = { ...approver, principalType: "Agent" };
    const actedFor: Principal = { ...approver, principalType: "User", actors: ["cli_agent"] };
    for (const by of [agent, actedFor])
      expect(await importing(by, advisory(change))).toMatchObject({ imported: 0, refused: ["GHSA-1"] });
    expect(await importing(approver, advisory(change))).toMatchObject({ imported: 1, refused: [] });
  });

  it("takes a weaker copy from everybody where no scans are required", async () => {
    await importing(developer, advisory());
    expect(await importing(developer, advisory(withdrawn))).toMatchObject({ imported: 1, refused: [] });
  });

  it.each([
    ["the same", later],
    ["a higher severity", { ...later, database_specific: { severity: "CRITICAL" } }],
    ["no severity", { ...later, database_specific: {} }],
    [
      "more versions and packages",
      { ...later, affected: ["Acme", "Other", "Third"].map((name) => packageOf(name, "9.0")) },
    ],
  ])("takes a newer copy with %s from everybody while scans are required", async (_, change) => {
    await askForScans();
    await importing(developer, advisory());
    expect(await importing(developer, advisory(change))).toMatchObject({ imported: 1, refused: [] });
  });

  const storableChanges = weaker.filter(([, change]) => change.affected?.length !== 0);
  it.each([...storableChanges, ["says less at the same time", { affected: [packageOf("Acme")] }] as const])(
    "takes an older copy while scans are required if the stored one %s",
    async (_, change) => {
      await askForScans();
      await importing(developer, advisory(change));
      expect(await importing(developer, advisory())).toMatchObject({ imported: 1, unchanged: 0 });
      expect(await importing(developer, advisory())).toMatchObject({ imported: 0, unchanged: 1 });
      expect(await advisoriesShown()).toMatchObject([{ severity: "High", withdrawnAt: null }]);
      expect(await advisoriesShown("Other")).toHaveLength(1);
    },
  );

  it("refuses a time in the future, which would keep every later copy out", async () => {
    const forgedCopy = advisory({ modified: "9999-01-01T00:00:00Z", withdrawn: "2026-01-01T00:00:00Z" });
    expect(await refusalOf(importing(developer, forgedCopy))).toMatchObject({
      code: "ADVISORIES_INVALID",
      errors: [{ pointer: "/documents/0/modified", detail: expect.stringContaining("later than now") }],
    });
  });

  it("stores a summary whose cut divides a character", async () => {
    const summary = `${"a".repeat(499)}\u{1f600}`;
    expect(await importing(developer, advisory({ summary }))).toMatchObject({ imported: 1 });
  });
});

describe("Mutation.deleteAdvisories", () => {
  it("deletes advisories with their packages, once, and records it", async () => {
    await importing(developer, advisory(), advisory({ id: "GHSA-2" }));
    const stranger = aPrincipal();
    expect(await deleting(stranger, "GHSA-1")).toBe(0);
    expect(await deleting(developer, "GHSA-1", "GHSA-9", "GHSA-1")).toBe(1);
    expect(await deleting(developer, "GHSA-1")).toBe(0);
    expect(await advisoriesShown()).toMatchObject([{ advisoryId: "GHSA-2" }]);
    const uuid = decodeId("ten", developer.tenantId ?? "");
    expect(
      await fixture.rows("select from catalog.advisory_packages where tenant_id = $1 and advisory_id = 'GHSA-1'", uuid),
    ).toEqual([]);
    const events = await fixture.rows<{ data: object }>(
      "select envelope->'data' as data from catalog.outbox where type = 'AdvisoriesDeleted' and tenant_id = $1 order by seq",
      uuid,
    );
    expect(events.map(({ data }) => data)).toEqual([{ advisoryIds: ["GHSA-1"] }, { advisoryIds: [] }]);
    expect(await importing(developer, advisory())).toMatchObject({ imported: 1 });
  });

  it("needs a person or a service with governance.approve while scans are required", async () => {
    await importing(developer, advisory());
    await askForScans();
    const agent: Principal = { ...approver, principalType: "Agent" };
    expect(await refusalOf(deleting(developer, "GHSA-1"))).toMatchObject({
      code: "INSUFFICIENT_SCOPE",
      requiredScopes: ["governance.approve"],
    });
    expect(await refusalOf(deleting(agent, "GHSA-1"))).toMatchObject({ code: "SELF_APPROVAL" });
    expect(await refusalOf(deleting(samePlace(["governance.approve"]), "GHSA-1"))).toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });
    expect(await advisoriesShown()).toHaveLength(1);
    expect(await deleting(approver, "GHSA-1")).toBe(1);
  });
});
