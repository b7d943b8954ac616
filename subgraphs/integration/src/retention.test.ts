import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { aPrincipal, eventually, type IntegrationFixture, startIntegrationFixture } from "./integration.fixture.js";

let fixture: IntegrationFixture;
let principal: Principal;
let tenant: string;
let providerId: string;

async function run(source: string, variables: Record<string, unknown>) {
  const { data, errors } = await fixture.run(principal, source, variables);
  if (errors) throw errors[0];
  return Object.values(data)[0] as Record<string, unknown>;
}

beforeAll(async () => {
  fixture = await startIntegrationFixture();
  principal = aPrincipal();
  tenant = decodeId("ten", principal.tenantId ?? "") ?? "";
  const input = { key: "acme", displayName: "Acme", category: "Tool", authModel: "None" };
  const provider = await run(
    "mutation ($input: RegisterProviderInput!) { registerProvider(input: $input) { providerId } }",
    { input },
  );
  providerId = String(provider["providerId"]);
});

afterAll(() => fixture.close());

/** A connection whose first run has ended. */
async function aConnection(displayName: string): Promise<string> {
  const { connectionId } = await run(
    "mutation ($input: CreateConnectionInput!) { createConnection(input: $input, waitSeconds: 20) { connectionId } }",
    { input: { providerId, displayName, authMode: "None" } },
  );
  return decodeId("con", String(connectionId)) ?? "";
}

/** The names, in the column `name`, in the rows that are left. */
async function kept(table: string, name: string): Promise<string[]> {
  const rows = await fixture.rows<{ name: string }>(
    `select ${name} as name from integration.${table} where tenant_id = $1 order by 1`,
    tenant,
  );
  return rows.map((row) => row.name);
}

describe("the retention of rows", () => {
  it("deleted connections go after 90 days, with tokens that were stored after their deletion", async () => {
    for (const name of ["live", "89 days", "91 days"]) {
      const id = await aConnection(name);
      await fixture.rows(
        "insert into integration.connection_tokens (tenant_id, connection_id, version, leases) values ($1, $2, 0, 1)",
        ...[tenant, id],
      );
      await fixture.rows(
        `insert into integration.connection_authorizations (tenant_id, authorization_id, connection_id, ticket_hash,
           requested_by, expires_at) values ($1, gen_random_uuid(), $2, $3, 'somebody', now())`,
        tenant,
        id,
        name,
      );
      if (name !== "live")
        await fixture.rows(
          `update integration.connections set status = 'Deleted', deleted_at = now() - $2::interval
           where connection_id = $1`,
          id,
          name,
        );
    }
    await fixture.prune();
    expect(await kept("connections", "display_name")).toEqual(["89 days", "live"]);
    expect(await kept("connection_authorizations", "ticket_hash")).toEqual(["89 days", "live"]);
    expect(await kept("connection_tokens", "connection_id")).toHaveLength(2);
  });

  it("counts of refused deliveries go 90 days after the newest refusal", async () => {
    for (const days of [0, 89, 91])
      await fixture.rows(
        `insert into integration.refused_deliveries (tenant_id, resource_id, count, last_reason, first_refused_at,
           last_refused_at)
         values ($1, gen_random_uuid(), 1, $2, now() - interval '200 days', now() - make_interval(days => $3))`,
        ...[tenant, `${days} days`, days],
      );
    await fixture.prune();
    expect(await kept("refused_deliveries", "last_reason")).toEqual(["0 days", "89 days"]);
  });

  it("ended runs go after 90 days, checks by schedule that went well after 2 days, and open runs stay", async () => {
    await eventually(async () =>
      (await kept("runs", "status")).every((status) => status === "Completed") ? true : undefined,
    );
    await fixture.rows("delete from integration.runs where tenant_id = $1", tenant);
    const runs = [
      ["old", "SyncResource", "Failed", "91 days"],
      ["kept", "SyncResource", "Failed", "89 days"],
      ["old check", "CheckHealth", "Completed", "49 hours"],
      ["kept check", "CheckHealth", "Completed", "47 hours"],
      ["failed check", "CheckHealth", "Failed", "49 hours"],
      ["open", "SyncResource", "Running", null],
    ];
    for (const [name, operation, status, age] of runs)
      await fixture.rows(
        `insert into integration.runs (tenant_id, run_id, operation, status, max_attempts, correlation_id, traceparent,
           requested_by, created_at, completed_at)
         values ($1, $2, $3, $4, 1, $5, '', 'system', now() - interval '100 days', now() - $6::interval)`,
        ...[tenant, decodeId("run", newId("run")), operation, status, name, age],
      );
    await fixture.prune();
    expect(await kept("runs", "correlation_id")).toEqual(["failed check", "kept", "kept check", "open"]);
  });

  it("deliveries go 30 days after their reception when they have ended, so that their ids are new again", async () => {
    const deliveries = [
      ["old", "Processed", "31 days"],
      ["old dead letter", "DeadLettered", "31 days"],
      ["kept", "Processed", "29 days"],
      ["unhandled", "Failed", "31 days"],
    ];
    for (const [name, status, age] of deliveries)
      await fixture.rows(
        `insert into integration.webhook_deliveries (tenant_id, delivery_id, provider_id, provider_key,
           provider_delivery_id, event_name, normalized_event_type, body_sha256, run_id, status, trace_id, received_at,
           next_attempt_at)
         values ($1, $2, $3, 'acme', $4, 'made', 'Made', '', $5, $6, '', now() - $7::interval, now() + interval '1 hour')`,
        ...[tenant, decodeId("whd", newId("whd")), decodeId("prv", providerId), name, decodeId("run", newId("run"))],
        ...[status, age],
      );
    await fixture.prune();
    expect(await kept("webhook_deliveries", "provider_delivery_id")).toEqual(["kept", "unhandled"]);
  });

  it("links of authorizations and rates of vendors go a day after their end", async () => {
    const connection = await aConnection("rated");
    await fixture.rows("delete from integration.connection_authorizations where tenant_id = $1", tenant);
    for (const age of ["25 hours", "23 hours"])
      await fixture.rows(
        `insert into integration.connection_authorizations (tenant_id, authorization_id, connection_id, ticket_hash,
           requested_by, expires_at) values ($1, gen_random_uuid(), $2, $3::text, 'somebody', now() - $3::text::interval)`,
        ...[tenant, connection, age],
      );
    const rates: [string, string | null][] = [
      ["25 hours", null],
      ["25 hours", "now() + interval '1 hour'"],
      ["23 hours", null],
    ];
    for (const [age, pause] of rates)
      await fixture.rows(
        `insert into integration.vendor_rates (tenant_id, connection_id, next_at, paused_until)
         values ($1, gen_random_uuid(), now() - $2::interval, ${pause})`,
        ...[tenant, age],
      );
    await fixture.prune();
    expect(await kept("connection_authorizations", "ticket_hash")).toEqual(["23 hours"]);
    expect(await kept("vendor_rates", "connection_id")).toHaveLength(2);
  });
});
