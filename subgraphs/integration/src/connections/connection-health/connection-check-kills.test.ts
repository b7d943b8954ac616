import { eventually } from "@factory/runtime/faults/eventually.fixture";
import { kills } from "@factory/runtime/faults/kills.fixture";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import { aPrincipal } from "../../integration.fixture.js";
import { IntegrationProcesses } from "../../integration-processes.fixture.js";
import { VendorServer } from "./vendor-server.fixture.js";

/** Where the process is killed: in the claim for a due check, before its probe, in its run's end, and after it. */
const phases = ["connectionCheck.claimed", "connectionCheck.probing", "connectionCheck.judged", "run.ended"];
/**
 * A limit for the time until the last start has continued all killed processes' jobs. A job that has met three kills
 * runs alone, and after many kills it waits until the five minutes are over in which such jobs have one minute.
 */
const takeoverMs = 360_000;

interface CheckedConnection {
  readonly connection_id: string;
  readonly failures: number;
  readonly failed_runs: number;
  /** Runs that were given up, since their process died again and again. They say nothing about the vendor. */
  readonly given_up: number;
  readonly due: boolean;
  readonly evidence: boolean;
}

describe("kill -9 in the checks of connections", () => {
  const principal = aPrincipal();
  const tenant = decodeId("ten", principal.tenantId ?? "");
  let subgraph: IntegrationProcesses;
  let vendor: VendorServer;

  beforeAll(async () => {
    [subgraph, vendor] = await Promise.all([IntegrationProcesses.open(), VendorServer.start()]);
  });
  afterAll(async () => {
    await subgraph.close();
    await vendor.close();
  });

  const sql = <Row>(text: string, ...values: unknown[]) => subgraph.rows<Row>(text, tenant, ...values);
  const run = (source: string, input: object) => subgraph.only(principal, source, { input });

  /** Connections that are Healthy, and whose next check is not due. */
  async function healthyConnections(): Promise<string[]> {
    await run("mutation ($input: CreateCredentialInput!) { createCredential(input: $input) { credentialId } }", {
      ...{ name: "key", kind: "BearerToken", secret: { token: vendor.token } },
    });
    const { providerId } = await run(
      "mutation ($input: RegisterProviderInput!) { registerProvider(input: $input) { providerId } }",
      {
        ...{ key: "vendor", displayName: "Vendor", category: "Other", authModel: "BearerToken" },
        ...{ baseUrl: vendor.url, driver: { probe: { method: "GET", path: "/me" } } },
      },
    );
    const connectionIds: string[] = [];
    const connection = { providerId, displayName: "Account", authMode: "BearerToken", credentialRef: "key" };
    for (let count = 0; count < kills; count += 1) {
      const { connectionId } = await run(
        "mutation ($input: CreateConnectionInput!) { createConnection(input: $input, waitSeconds: 20) { connectionId } }",
        connection,
      );
      connectionIds.push(connectionId);
    }
    return connectionIds;
  }

  const makeDue = (connectionId: string) =>
    sql(
      "update integration.connections set next_probe_at = now() where tenant_id = $1 and connection_id = $2",
      decodeId("con", connectionId),
    );

  const readConnections = () =>
    sql<CheckedConnection>(`
      select connection_id, consecutive_failures as failures, next_probe_at <= now() as due,
        health_run_id = last_evidence as evidence, coalesce(failed_runs, 0) as failed_runs, coalesce(given_up, 0) as given_up
      from integration.connections left join (
        select connection_id, count(*) filter (where status = 'Failed' and not is_given_up)::int as failed_runs,
          count(*) filter (where is_given_up)::int as given_up,
          (array_agg(run_id order by created_at desc) filter (where not is_given_up))[1] as last_evidence
        from (select *, error_code is not distinct from 'WORKER_DIED' as is_given_up from integration.runs) run
        where tenant_id = $1 group by connection_id) checks using (connection_id)
      where tenant_id = $1`);

  /** Each change to the health that was announced, with the run that caused it. */
  const changes = () =>
    sql<{ subject: string; run: string }>(
      `select envelope->>'subject' as subject, envelope->'data'->>'runId' as run from integration.outbox
       where tenant_id = $1 and envelope->>'type' = 'ConnectionHealthChanged' and envelope->'data'->>'health' = 'Degraded'`,
    );

  it("loses no check, leaves no run open, and applies each outcome once", async () => {
    let connections: string[] = [];
    for (let count = 0; count < kills; count += 1) {
      // A job that an earlier kill interrupted may kill the process before it is ready.
      if (!(await subgraph.startMortal(`${phases[count % phases.length]}:kill:1`))) continue;
      if (count === 0) connections = await healthyConnections();
      vendor.status = 500;
      await makeDue(connections[count] ?? "");
      expect(await subgraph.process.ended).toBeNull();
    }
    await subgraph.start();
    // An earlier job may have killed a process before its connection was made due.
    for (const connectionId of connections) await makeDue(connectionId);
    const areChecked = async () =>
      (await readConnections()).every(
        (connection) => connection.failed_runs + connection.given_up > 0 && !connection.due,
      );
    await eventually("each connection is checked", areChecked, takeoverMs);
    const open = () =>
      sql("select from integration.runs where tenant_id = $1 and status not in ('Completed', 'Failed', 'Cancelled')");
    await eventually("no run is open", async () => (await open()).length === 0, takeoverMs);
    const checkedConnections = await readConnections();
    for (const { failures, failed_runs: runs, evidence } of checkedConnections)
      expect({ failures, evidence }).toEqual({ failures: runs, evidence: true });
    const failing = checkedConnections.flatMap(({ connection_id: id, failures }) =>
      failures > 0 ? [encodeId("con", id)] : [],
    );
    const announcements = await changes();
    expect(announcements.map(({ subject }) => subject).sort()).toEqual(
      failing.map((connectionId) => `connections/${connectionId}`).sort(),
    );
    expect(failing.length).toBeGreaterThan(kills / 2);
  }, 1_200_000);
});
