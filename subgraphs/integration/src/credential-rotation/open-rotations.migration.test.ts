import type { SchemaConnections } from "@factory/runtime/connections/schema-connections";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import { continueTrace, traceparent } from "@factory/runtime/telemetry/trace";
import { migrate } from "@factory/runtime/unit-of-work/migrate";
import type pg from "pg";
import { EmbeddedSecretStore } from "../credentials/credentials/embedded-secret-store.js";
import { aPrincipal, eventually, type IntegrationFixture, startIntegrationFixture } from "../integration.fixture.js";
import { integrationTables } from "../tables.js";

const principal = aPrincipal();
const tenantId = principal.tenantId ?? "";
const [credentialId, runId, expiring] = [newId("crd"), newId("run"), newId("crd")];
const masterKeys = someMasterKeys(1);
let fixture: IntegrationFixture;

/** A version as the release before the wait for material stored it. */
async function formerVersion(admin: pg.Pool, id: string, version: number, stage: string): Promise<void> {
  const store = new EmbeddedSecretStore(masterKeys);
  const { keyId, wrappedKey, ciphertext } = await store.seal(
    { tenantId, credentialId: id, version },
    { apiKey: `key ${version}` },
  );
  await admin.query(
    `insert into integration.credential_versions (tenant_id, credential_id, version, stage, key_id, wrapped_key,
       ciphertext, reason, grace_seconds, verification_run_id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now())`,
    [
      ...[decodeId("ten", tenantId), decodeId("crd", id), version, stage, keyId, wrappedKey, ciphertext],
      ...(stage === "Pending" ? ["ManualRotation", 600, decodeId("run", runId)] : [null, null, null]),
    ],
  );
}

const formerCredential = (admin: pg.Pool, id: string, name: string, more: (string | null)[]) =>
  admin.query(
    `insert into integration.credentials (tenant_id, credential_id, name, kind, current_version, status,
       rotation_run_id, expires_at, next_change_at, created_at)
     values ($1, $2, $3, 'ApiKey', 1, $4, $5, $6, $6, now())`,
    [decodeId("ten", tenantId), decodeId("crd", id), name, ...more],
  );

beforeAll(async () => {
  const formerly = async (connections: SchemaConnections, admin: pg.Pool) => {
    const { migrations, ...tables } = integrationTables;
    const before = migrations.findIndex(({ name }) => name.includes("awaited_material"));
    await migrate({ connections, ...tables, migrations: migrations.slice(0, before) });
    await formerCredential(admin, credentialId, "rotating", ["Rotating", decodeId("run", runId) ?? null, null]);
    await formerVersion(admin, credentialId, 1, "Current");
    await formerVersion(admin, credentialId, 2, "Pending");
    await formerCredential(admin, expiring, "expiring", ["Active", null, "2020-01-01T00:00:00Z"]);
    await formerVersion(admin, expiring, 1, "Current");
    const trace = continueTrace(undefined);
    await admin.query(
      `insert into integration.runs (tenant_id, run_id, credential_id, operation, status, attempts, max_attempts, payload,
         correlation_id, traceparent, created_at)
       values ($1, $2, $3, 'VerifyCredential', 'Queued', 0, 5, '{"version": 2}', 'c', $4, now() - interval '1 hour')`,
      [decodeId("ten", tenantId), decodeId("run", runId), decodeId("crd", credentialId), traceparent(trace)],
    );
  };
  fixture = await startIntegrationFixture({ masterKeys }, undefined, { formerly });
});
afterAll(() => fixture.close());

async function stateOf(id: string): Promise<string> {
  const source =
    "query ($id: ID!) { credential(credentialId: $id) { status materialDueAt versions { version stage } } }";
  const { data, errors } = await fixture.run(principal, source, { id });
  expect(errors).toBeUndefined();
  const { status, materialDueAt, versions } = data.credential;
  expect(materialDueAt).toBeNull();
  return [status, ...versions.map(({ stage }: { stage: string }) => stage)].join();
}

describe("a rotation that was open before versions could wait for their material", () => {
  it("goes on: its version is verified and used", async () => {
    const hasFinalState = async () => ((await stateOf(credentialId)) === "Active,Current,Previous" ? true : undefined);
    await eventually(hasFinalState, 300_000);
  });

  it("does not keep other credentials from their changes", async () => {
    await eventually(async () => ((await stateOf(expiring)) === "Expired,Current" ? true : undefined));
  });
});
