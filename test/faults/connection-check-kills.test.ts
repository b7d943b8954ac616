import {
  accessToken,
  type ClientCredentials,
  createTenantClient,
  ensureTenant,
  readJson,
} from "@factory/gateway/standalone/client/platform-api";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/gateway/standalone/client/platform-process";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import pg from "pg";
import { eventually } from "../kit/eventually.js";
import { kills } from "../kit/kills.js";
import { request } from "../kit/request.js";
import { aVendor, type Vendor } from "../kit/vendor.js";

/** Where the process is killed: in the claim of a due check, before its probe, in the end of its run, and after it. */
const phases = ["connectionCheck.claimed", "connectionCheck.probing", "connectionCheck.judged", "run.ended"];
/** A generous limit for the time until the last start continues the jobs of all killed processes. */
const takeoverMs = 120_000;

interface CheckedConnection {
  readonly failures: number;
  readonly failed_runs: number;
  readonly due: boolean;
  readonly evidence: boolean;
}

describe("kill -9 in the checks of connections", () => {
  let dataDir: string;
  let platform: PlatformProcess;
  let vendor: Vendor;
  let client: ClientCredentials;
  let tenant: string | undefined;

  beforeAll(async () => {
    dataDir = await temporaryDataDirectory();
    vendor = await aVendor();
    vendor.accepted.add("key");
  });
  afterAll(async () => {
    await platform?.stop();
    await removeData(dataDir);
    await vendor.close();
  });

  async function sql<Row extends pg.QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]> {
    const { host, port, user, password } = await readJson<Record<string, string>>(dataDir, "postgres.json");
    const connection = new pg.Client(`postgres://${user}:${password}@${host}:${port}/postgres`);
    await connection.connect();
    try {
      return (await connection.query<Row>(text, [tenant, ...values])).rows;
    } finally {
      await connection.end();
    }
  }

  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const token = await accessToken(platform, client);
    const answer = await request<Record<string, string>>(`POST ${path}`, {
      ...{ base: platform.publicUrl, token, body, headers },
    });
    return answer.body;
  };

  /** Connections that are Healthy, and whose next check is not due. */
  async function aTenantWithConnections(): Promise<string[]> {
    const admin = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
    const { tenantId } = await ensureTenant(platform, admin, "checked", "checked");
    tenant = decodeId("ten", tenantId);
    const kinds = ["providers", "connections", "credentials"] as const;
    const scopes = kinds.map((kind) => `integration.${kind}.write` as const);
    client = await createTenantClient(platform, admin, tenantId, { name: "test", scopes });
    await post("/integrations/credentials", { name: "key", kind: "BearerToken", secret: { token: "key" } });
    const { providerId } = await post("/integrations/providers", {
      ...{ key: "vendor", displayName: "Vendor", category: "Other", authModel: "BearerToken" },
      ...{ baseUrl: vendor.baseUrl, driver: { probe: { method: "GET", path: "/me" } } },
    });
    const made: string[] = [];
    const connection = { providerId, displayName: "Account", authMode: "BearerToken", credentialRef: "key" };
    for (let count = 0; count < kills; count += 1) {
      const { connectionId } = await post("/integrations/connections", connection, { prefer: "wait=20" });
      made.push(connectionId ?? "");
    }
    return made;
  }

  const makeDue = (connectionId: string) =>
    sql(
      "update integration.connections set next_probe_at = now() where tenant_id = $1 and connection_id = $2",
      decodeId("con", connectionId),
    );

  const read = () =>
    sql<CheckedConnection>(`
      select consecutive_failures as failures, next_probe_at <= now() as due, health_run_id = last_run_id as evidence,
        (select count(*)::int from integration.runs run where run.tenant_id = $1 and status = 'Failed'
          and run.connection_id = connection.connection_id) as failed_runs
      from integration.connections connection where tenant_id = $1`);

  /** Each change of the health that was announced, with the run that caused it. */
  const changes = () =>
    sql<{ subject: string; run: string }>(
      `select envelope->>'subject' as subject, envelope->'data'->>'runId' as run from integration.outbox
       where tenant_id = $1 and envelope->>'type' = 'ConnectionHealthChanged' and envelope->'data'->>'health' = 'Degraded'`,
    );

  it("loses no check, leaves no run open, and applies each outcome once", async () => {
    let connections: string[] = [];
    for (let count = 0; count < kills; count += 1) {
      const FAIL = `${phases[count % phases.length]}:kill:1`;
      // A job that an earlier kill interrupted may kill the process before it is ready.
      const started = await startPlatformProcess(dataDir, { FAIL }).catch((error: Error) => {
        expect(error.message).toContain("ended with null");
      });
      if (!started) continue;
      platform = started;
      if (count === 0) connections = await aTenantWithConnections();
      vendor.behave({ status: 500 });
      await makeDue(connections[count] ?? "").catch(() => undefined);
      expect(await platform.ended).toBeNull();
    }
    platform = await startPlatformProcess(dataDir);
    // An earlier job may have killed a process before its connection was made due.
    for (const connectionId of connections) await makeDue(connectionId);
    const checked = async () => (await read()).every(({ failed_runs: runs, due }) => runs > 0 && !due);
    await eventually("each connection is checked", checked, takeoverMs);
    const open = () =>
      sql("select from integration.runs where tenant_id = $1 and status not in ('Completed', 'Failed', 'Cancelled')");
    await eventually("no run is open", async () => (await open()).length === 0, takeoverMs);
    for (const { failures, failed_runs: runs, evidence } of await read())
      expect({ failures, evidence }).toEqual({ failures: runs, evidence: true });
    const announced = await changes();
    expect(announced.map(({ subject }) => subject).sort()).toEqual(
      connections.map((connectionId) => `connections/${connectionId}`).sort(),
    );
  }, 600_000);
});
