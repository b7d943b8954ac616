import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import pg from "pg";
import { aPrincipal, eventually, type IntegrationFixture, startIntegrationFixture } from "../integration.fixture.js";

const create = `mutation ($input: CreateCredentialInput!) { createCredential(input: $input) { credentialId } }`;
const revoke = `mutation ($id: ID!) { revokeCredential(credentialId: $id, input: { reason: "leaked" }) { status } }`;
const credentialQuery = `query ($id: ID!) { credential(credentialId: $id) {
  name kind status graceSeconds expiresAt versions { version versionRef stage reason retiredAt graceEndsAt } } }`;
const list = `query ($filter: CredentialFilterInput, $sort: String) {
  credentials(filter: $filter, sort: $sort, first: 2) { items { name } nextCursor } }`;

let fixture: IntegrationFixture;
beforeAll(async () => {
  fixture = await startIntegrationFixture();
});
afterAll(() => fixture.close());

const createCredential = async (principal = aPrincipal(), input: Record<string, unknown> = {}) => {
  const { data, errors } = await fixture.run(principal, create, {
    input: { name: "vendor", kind: "ApiKey", secret: { apiKey: "very-visible" }, ...input },
  });
  expect(errors).toBeUndefined();
  return data?.["createCredential"].credentialId as string;
};

describe("credentials", () => {
  it("show their versions and never their secrets", async () => {
    const principal = aPrincipal();
    const expiresAt = "2027-01-01T00:00:00.000Z";
    const id = await createCredential(principal, { expiresAt, graceSeconds: 60 });
    const { data } = await fixture.run(principal, credentialQuery, { id });
    expect(data?.["credential"]).toMatchObject({
      ...{ name: "vendor", kind: "ApiKey", status: "Active", graceSeconds: 60, expiresAt },
      versions: [{ version: 1, versionRef: "secret://vendor#v1", stage: "Current", reason: null, retiredAt: null }],
    });
    expect(JSON.stringify(data)).not.toContain("very-visible");
  });

  it("are listed by state, kind and expiry, those of the own tenant only", async () => {
    const principal = aPrincipal();
    await createCredential();
    for (const name of ["c", "a", "b"]) await createCredential(principal, { name });
    await createCredential(principal, { name: "d", kind: "Custom", expiresAt: "2027-01-01T00:00:00Z" });
    const names = async (variables: Record<string, unknown>) => {
      const { data, errors } = await fixture.run(principal, list, variables);
      expect(errors).toBeUndefined();
      const page = data?.["credentials"] as { items: { name: string }[]; nextCursor: string | null } | undefined;
      return [...(page?.items ?? []).map(({ name }) => name), page?.nextCursor !== null];
    };
    expect(await names({})).toEqual(["a", "b", true]);
    expect(await names({ sort: "-createdAt" })).toEqual(["d", "b", true]);
    expect(await names({ filter: { kind: "Custom" } })).toEqual(["d", false]);
    expect(await names({ filter: { status: "Revoked" } })).toEqual([false]);
    expect(await names({ filter: { expiresBefore: "2027-01-02T00:00:00Z" } })).toEqual(["d", false]);
  });

  it("end by a revocation, which destroys the secret and is announced", async () => {
    const heard: string[] = [];
    const client = new pg.Client({ connectionString: fixture.connections.app });
    client.on("notification", ({ payload = "" }) => heard.push(payload));
    await client.connect();
    await client.query("listen credential_changed");
    const principal = aPrincipal();
    const id = await createCredential(principal);
    expect((await fixture.run(principal, revoke, { id })).data).toEqual({ revokeCredential: { status: "Revoked" } });
    const { data } = await fixture.run(principal, credentialQuery, { id });
    expect(data?.["credential"]).toMatchObject({
      status: "Revoked",
      versions: [{ stage: "Retired", retiredAt: expect.any(String) }],
    });
    const tenant = tenantWithId(principal.tenantId ?? "");
    const [row] = await fixture.rows<{ key: Buffer | null; size: number; uuid: string }>(
      `select wrapped_key as key, length(ciphertext) as size, credential_id as uuid
       from integration.credential_versions where tenant_id = $1`,
      tenant.uuid,
    );
    expect(row).toMatchObject({ key: null, size: 0 });
    await eventually(() => heard[0]);
    expect(new Set(heard)).toEqual(new Set([`${tenant.uuid} ${row?.uuid}`]));
    await client.end();
    const again = await fixture.run(principal, revoke, { id });
    expect(again.errors?.[0]?.extensions).toMatchObject({ code: "INVALID_STATE", currentState: "Revoked" });
    const events = await fixture.rows<{ type: string; data: unknown }>(
      "select envelope->>'type' as type, envelope->'data' as data from integration.outbox where tenant_id = $1 and envelope->>'messagekind' = 'event' order by seq",
      tenant.uuid,
    );
    expect(events.map(({ type }) => type)).toEqual([
      "CredentialCreated",
      "CredentialVersionRetired",
      "CredentialRevoked",
    ]);
    expect(events[2]?.data).toMatchObject({ previousStatus: "Active", reason: "leaked" });
  });

  it("that are being verified are revoked after the run that verifies them has ended", async () => {
    const principal = aPrincipal();
    const id = await createCredential(principal);
    const tenant = tenantWithId(principal.tenantId ?? "").uuid;
    const { data } = await fixture.run(
      principal,
      "mutation ($input: RotateCredentialInput!) { rotateCredential(input: $input) { verificationRunId } }",
      { input: { credentialId: id, secret: { apiKey: "another-secret" } } },
    );
    await eventually(async () => {
      const { data: shownData } = await fixture.run(principal, credentialQuery, { id });
      return shownData?.["credential"].status === "Active" ? true : undefined;
    });
    await fixture.rows("update integration.credentials set status = 'Rotating' where tenant_id = $1", tenant);
    const runId = decodeId("run", data?.["rotateCredential"].verificationRunId);
    const client = new pg.Client({ connectionString: fixture.connections.app });
    await client.connect();
    await client.query("begin");
    await client.query("select set_config('app.tenant', $1, true)", [tenant]);
    await client.query("select from integration.runs where run_id = $1 for update", [runId]);
    const revocation = fixture.run(principal, revoke, { id });
    const waits = "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await eventually(async () => (await fixture.rows(waits))[0]);
    const { rowCount } = await client.query("select from integration.credentials for update nowait");
    await client.query("rollback");
    await client.end();
    expect([rowCount, (await revocation).data]).toEqual([1, { revokeCredential: { status: "Revoked" } }]);
  });
});
