import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import pg from "pg";
import { aPrincipal, eventually, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";

let fixture: IntegrationFixture;
let principal: Principal;

beforeAll(async () => {
  fixture = await startIntegrationFixture();
});

beforeEach(() => {
  principal = aPrincipal();
});

afterAll(() => fixture.close());

async function run(source: string, variables: Record<string, unknown> = {}) {
  const { data, errors } = await fixture.run(principal, source, variables);
  const [error] = errors ?? [];
  return error ? { refused: error.extensions } : (Object.values(data)[0] as Record<string, unknown>);
}

async function aProvider(more: object = {}): Promise<string> {
  const { providerId } = await run(
    "mutation ($input: RegisterProviderInput!) { registerProvider(input: $input) { providerId } }",
    { input: { key: newId("prv").slice(4), displayName: "Acme", category: "Tool", authModel: "None", ...more } },
  );
  return String(providerId);
}

async function aConnection(input: Record<string, unknown> = {}): Promise<string> {
  const providerId = input["providerId"] ?? (await aProvider());
  const { connectionId } = await run(
    "mutation ($input: CreateConnectionInput!) { createConnection(input: $input, waitSeconds: 20) { connectionId } }",
    { input: { providerId, displayName: "Acme", authMode: "None", ...input } },
  );
  return String(connectionId);
}

const fields = "connectionId status statusReason version displayName projectId credentialRef configuration";
const readConnection = (id: string) => run(`query ($id: ID!) { connection(connectionId: $id) { ${fields} } }`, { id });
const move = (field: string, id: string, input = "") =>
  run(`mutation ($id: ID!) { ${field}(connectionId: $id${input}) { ${fields} } }`, { id });
const moveProvider = (field: string, id: string) =>
  run(`mutation ($id: ID!) { ${field}(providerId: $id) { status } }`, { id });

const eventsOf = async (connectionId: string) =>
  (
    await fixture.rows<{ type: string }>(
      "select envelope->>'type' as type from integration.outbox where envelope->>'subject' = $1 and envelope->>'messagekind' = 'event' order by seq",
      `connections/${connectionId}`,
    )
  ).map(({ type }) => type);

describe("a connection", () => {
  it("is suspended, resumed and deleted, with an event for each", async () => {
    const id = await aConnection();
    expect(await move("suspendConnection", id, ', input: { reason: "audit" }')).toMatchObject({
      status: "Suspended",
      statusReason: "audit",
    });
    expect(await move("suspendConnection", id)).toEqual({
      refused: expect.objectContaining({ code: "INVALID_STATE", currentState: "Suspended" }),
    });
    expect(await move("resumeConnection", id)).toMatchObject({ status: "Active" });
    expect(await move("resumeConnection", id)).toEqual({
      refused: expect.objectContaining({ code: "INVALID_STATE", currentState: "Active" }),
    });
    expect(await move("deleteConnection", id)).toMatchObject({ status: "Deleted" });
    for (const answer of [
      await readConnection(id),
      await move("suspendConnection", id),
      await move("deleteConnection", id),
    ])
      expect(answer).toEqual({ refused: expect.objectContaining({ code: "CONNECTION_NOT_FOUND" }) });
    expect(await eventsOf(id)).toEqual([
      "ConnectionEstablished",
      "ConnectionSuspended",
      "ConnectionResumed",
      "ConnectionDeleted",
    ]);
  });

  it("is deleted with its checks, however many deliveries of it wait", async () => {
    const id = await aConnection();
    const [tenant, connection] = [decodeId("ten", principal.tenantId ?? ""), decodeId("con", id)];
    await fixture.rows(
      `insert into integration.runs (tenant_id, run_id, connection_id, operation, status, max_attempts, correlation_id, traceparent)
       select $1, ('00000000-0000-7000-8000-' || lpad(number::text, 12, '0'))::uuid, $2,
         case number when 201 then 'CheckHealth' else 'ProcessDelivery' end, 'Queued', 5, '', $3
       from generate_series(1, 201) number`,
      ...[tenant, connection, `00-${"c".repeat(32)}-00000000000000ab-01`],
    );
    await move("deleteConnection", id);
    const open = await fixture.rows<{ operation: string; status: string; count: number }>(
      `select operation, status, count(*)::int from integration.runs
       where tenant_id = $1 and operation in ('CheckHealth', 'ProcessDelivery') group by 1, 2 order by 1`,
      tenant,
    );
    expect(open).toEqual([
      { operation: "CheckHealth", status: "Cancelled", count: 1 },
      { operation: "ProcessDelivery", status: "Queued", count: 200 },
    ]);
  });

  it("is changed only in the version that If-Match names", async () => {
    const id = await aConnection({ projectId: "one", configuration: { region: "eu" }, credentialRef: "a" });
    const { version } = (await readConnection(id)) as { version: number };
    const update = (input: Record<string, unknown>, ifMatch?: string) =>
      run(
        `mutation ($id: ID!, $input: UpdateConnectionInput!, $ifMatch: String) {
          updateConnection(connectionId: $id, input: $input, ifMatch: $ifMatch) { ${fields} } }`,
        { id, input, ifMatch },
      );
    const renameAnswer = await update({ displayName: "Renamed", projectId: null }, `"${version}"`);
    expect(renameAnswer).toMatchObject({
      displayName: "Renamed",
      projectId: null,
      credentialRef: "a",
      configuration: { region: "eu" },
    });
    expect(await update({ displayName: "Lost" }, `"${version}"`)).toEqual({
      refused: expect.objectContaining({ code: "PRECONDITION_FAILED" }),
    });
    expect(await update({ credentialRef: "nothing", strictReferences: true })).toEqual({
      refused: expect.objectContaining({ code: "REFERENCE_NOT_FOUND" }),
    });
    const changeAnswer = await update({ configuration: { accountId: "acct_2" }, credentialRef: null });
    expect(changeAnswer).toMatchObject({ credentialRef: null, configuration: { accountId: "acct_2" } });
    expect(await readConnection(id)).toEqual(changeAnswer);
  });

  it("announces other settings, so that other secrets verify its deliveries at once", async () => {
    const id = await aConnection();
    const heard: string[] = [];
    const client = new pg.Client({ connectionString: fixture.connections.app });
    client.on("notification", ({ payload = "" }) => heard.push(payload));
    await client.connect();
    await client.query("listen inbound_sources_changed");
    const update = (input: object) =>
      run(
        "mutation ($id: ID!, $input: UpdateConnectionInput!) { updateConnection(connectionId: $id, input: $input) { configuration } }",
        { id, input },
      );
    await update({ displayName: "Renamed" });
    await update({ configuration: { accountId: "acct_2" } });
    await eventually(() => heard[0]);
    await client.end();
    expect(heard).toEqual([decodeId("ten", principal.tenantId ?? "")]);
  });

  it("waits for its run at most 25 s, whatever longer time is asked for", async () => {
    const providerId = await aProvider();
    const createAnswer = await run(
      "mutation ($input: CreateConnectionInput!) { createConnection(input: $input, waitSeconds: 86400) { lastRun { status } } }",
      { input: { providerId, displayName: "Acme", authMode: "None" } },
    );
    expect(createAnswer).toEqual({ lastRun: { status: "Completed" } });
  });
});

describe("Query.connections", () => {
  const list = async (filter: Record<string, unknown>) =>
    run(
      "query ($filter: ConnectionFilterInput) { connections(filter: $filter) { items { displayName provider { providerId } lastRun { runId } } nextCursor } }",
      { filter },
    );

  it("lists by provider, project, status and health, without deleted ones", async () => {
    const providerId = await aProvider();
    const first = await aConnection({ providerId, displayName: "First", projectId: "one" });
    await aConnection({ providerId, displayName: "Second" });
    await aConnection({ displayName: "Third", projectId: "one" });
    await move("deleteConnection", await aConnection({ providerId, displayName: "Gone" }));
    await move("suspendConnection", first);
    const names = async (filter: Record<string, unknown>) =>
      ((await list(filter)) as { items: { displayName: string }[] }).items.map(({ displayName }) => displayName);
    expect(await names({})).toEqual(["First", "Second", "Third"]);
    expect(await names({ providerId })).toEqual(["First", "Second"]);
    expect(await names({ projectId: "one" })).toEqual(["First", "Third"]);
    expect(await names({ status: "Suspended" })).toEqual(["First"]);
    expect(await names({ health: "Unhealthy" })).toEqual([]);
    expect(await names({ providerId: "prv_unknown" })).toEqual([]);
    const listAnswer = await list({ status: "Deleted" });
    expect(listAnswer["refused"]).toMatchObject({
      code: "PARAMETERS_INVALID",
      errors: [{ pointer: "/filter/status" }],
    });
  });
});

describe("a provider", () => {
  it("with connections cannot be retired", async () => {
    const providerId = await aProvider();
    const [first, second] = [await aConnection({ providerId }), await aConnection({ providerId })];
    await moveProvider("deprecateProvider", providerId);
    expect(await moveProvider("retireProvider", providerId)).toEqual({
      refused: expect.objectContaining({ code: "CONFLICT", connections: 2 }),
    });
    for (const id of [first, second]) await move("deleteConnection", id);
    expect(await moveProvider("retireProvider", providerId)).toEqual({ status: "Retired" });
  });

  it("that is disabled disables its Active and Suspended connections, which resume only with it", async () => {
    const providerId = await aProvider();
    const [active, suspendedId] = [await aConnection({ providerId }), await aConnection({ providerId })];
    await move("suspendConnection", suspendedId);
    expect(await moveProvider("disableProvider", providerId)).toEqual({ status: "Disabled" });
    for (const id of [active, suspendedId]) {
      expect(await readConnection(id)).toMatchObject({
        status: "Disabled",
        statusReason: "The provider was disabled.",
      });
      expect((await eventsOf(id)).at(-1)).toBe("ConnectionDisabled");
      expect(await move("resumeConnection", id)).toEqual({
        refused: expect.objectContaining({ code: "INVALID_STATE", currentState: "Disabled" }),
      });
    }
    await moveProvider("enableProvider", providerId);
    expect(await move("resumeConnection", active)).toMatchObject({ status: "Disabled" });
    await eventually(
      async () => ((await readConnection(active)) as { status: string }).status === "Active" || undefined,
    );
  });

  it("disables a thousand connections in one statement, beyond which no more can be created", async () => {
    const providerId = await aProvider();
    const id = await aConnection({ providerId });
    await fixture.rows(
      `insert into integration.connections select (jsonb_populate_record(model, jsonb_build_object('connection_id', gen_random_uuid()))).*
       from integration.connections model, generate_series(1, 999) where model.connection_id = $1`,
      decodeId("con", id),
    );
    const more = await run(
      "mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { connectionId } }",
      { input: { providerId, displayName: "Too many", authMode: "ApiKey" } },
    );
    expect(more).toEqual({ refused: expect.objectContaining({ code: "CONFLICT", limit: 1000 }) });
    expect(await moveProvider("disableProvider", providerId)).toEqual({ status: "Disabled" });
    expect((await eventsOf(id)).at(-1)).toBe("ConnectionDisabled");
    const [{ count } = { count: 0 }] = await fixture.rows<{ count: number }>(
      "select count(*)::int as count from integration.outbox where envelope->>'type' = 'ConnectionDisabled' and envelope->'data'->>'providerId' = $1",
      providerId,
    );
    expect(count).toBe(1000);
  });
});

describe("a Disabled connection", () => {
  let vendor: Server;
  let status = 200;

  beforeAll(async () => {
    vendor = createServer((_, response) => response.writeHead(status).end());
    await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
  });
  beforeEach(() => {
    status = 200;
  });
  afterAll(() => vendor.close());

  const resume = (id: string) => move("resumeConnection", id, ", waitSeconds: 20");
  const runOf = async (id: string) => {
    const { lastRun } = await run(
      "query ($id: ID!) { connection(connectionId: $id) { lastRun { runId operation status } } }",
      { id },
    );
    return lastRun as { runId: string; operation: string; status: string };
  };

  async function aProbedConnection(): Promise<string> {
    const baseUrl = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
    const driver = { probe: { method: "GET", path: "/me" } };
    return aConnection({ providerId: await aProvider({ baseUrl, driver }) });
  }

  it("is Active after its provider was enabled and a new run has found the vendor", async () => {
    const id = await aProbedConnection();
    const before = await runOf(id);
    const readAnswer = await run("query ($id: ID!) { connection(connectionId: $id) { providerId } }", { id });
    for (const field of ["disableProvider", "enableProvider"])
      await moveProvider(field, String(readAnswer["providerId"]));
    status = 503;
    expect(await resume(id)).toMatchObject({ status: "Disabled" });
    expect(await runOf(id)).toMatchObject({ operation: "VerifyConnection", status: "Failed" });
    status = 200;
    expect(await resume(id)).toMatchObject({ status: "Active", statusReason: expect.stringContaining("accepted") });
    const after = await runOf(id);
    expect(after).toMatchObject({ operation: "VerifyConnection", status: "Completed" });
    expect(after.runId).not.toBe(before.runId);
    expect((await eventsOf(id)).filter((type) => type !== "ConnectionHealthChanged")).toEqual([
      "ConnectionEstablished",
      "ConnectionDisabled",
      "ConnectionResumed",
    ]);
  });

  it("is Active again after it was Unhealthy for too long, and is checked by schedule", async () => {
    const id = await aProbedConnection();
    await fixture.rows(
      `update integration.connections set health = 'Unhealthy', consecutive_failures = 3,
         failing_since = now() - interval '7 days', failure_days = '{"strikes": 6, "lastOutageOn": "2020-01-01"}'
       where connection_id = $1`,
      decodeId("con", id),
    );
    status = 503;
    await run("mutation ($id: ID!) { checkConnectionHealth(connectionId: $id, waitSeconds: 20) { status } }", { id });
    expect(await readConnection(id)).toMatchObject({ status: "Disabled" });
    status = 200;
    expect(await resume(id)).toMatchObject({ status: "Active" });
    const [row] = await fixture.rows<{ is_due: boolean; health: string }>(
      "select health, next_probe_at > now() as is_due from integration.connections where connection_id = $1",
      decodeId("con", id),
    );
    expect(row).toEqual({ health: "Degraded", is_due: true });
  });
});
