import { randomUUID } from "node:crypto";
import pg from "pg";
import type { Principal } from "../auth/principal.js";
import { newId } from "../identifiers/wire-id.js";
import type { AuditRecord } from "../messages/audit-record.js";
import type { Message } from "../messages/envelope.js";
import { continueTrace } from "../telemetry/trace.js";
import { platformTenantId } from "../tenancy/platform-tenant.js";
import { requestContext } from "../tenancy/request-context.js";
import type { Tenant } from "../tenancy/tenant.js";
import { aDatabase, aTenant, noteTable, quiet, type TestDatabase } from "../unit-of-work/database.fixture.js";
import { Database } from "../unit-of-work/database.js";
import { type CountedWay, countedWay } from "../unit-of-work/round-trips.fixture.js";
import { idempotentMutation } from "./idempotent-mutation.js";

describe("the audit record of a mutation", () => {
  let test: TestDatabase;
  let admin: pg.Client;

  beforeAll(async () => {
    test = await aDatabase();
    admin = new pg.Client({ connectionString: test.url });
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await test.close();
  });

  const clientId = newId("cli");
  const aPrincipal = (tenant: Tenant, more: Partial<Principal> = {}): Principal =>
    ({ subject: newId("usr"), clientId, tenantId: tenant.tenantId, principalType: "User", ...more }) as Principal;
  const callOf = (principal: Principal, idempotencyKey?: string) =>
    requestContext({
      principal,
      trace: continueTrace(undefined),
      idempotencyKey,
      address: "192.0.2.7",
      userAgent: `curl/8\u0000${"x".repeat(300)}`,
    });

  interface Wish {
    readonly database?: Database;
    readonly events?: boolean;
    readonly fails?: boolean;
    readonly tenant?: Tenant;
    readonly templateId?: string;
  }

  const addNote = (context: ReturnType<typeof callOf>, wish: Wish = {}) =>
    idempotentMutation(wish.database ?? test.database, context, {
      field: "addNote",
      arguments: { templateId: wish.templateId ?? null, text: "note" },
      ...(wish.tenant ? { tenant: wish.tenant } : {}),
      commit: async ({ em, tenant, record }) => {
        em.persist(em.create(noteTable, { tenantId: tenant.uuid, noteId: randomUUID(), text: "note" }));
        if (wish.events ?? true) {
          record({ type: "TemplateRegistered", subject: "templates/first", data: {} });
          record({ type: "TemplateRegistered", subject: "templates/second", data: {} });
        }
        if (wish.fails) throw new Error("refused");
        return {};
      },
    });

  const messagesOf = async ({ uuid }: Tenant) =>
    (
      await admin.query<{ envelope: Message }>(
        "select envelope from catalog.outbox where tenant_id = $1 order by seq",
        [uuid],
      )
    ).rows.map(({ envelope }) => envelope);
  const recordsOf = async (tenant: Tenant) =>
    (await messagesOf(tenant)).filter((message): message is AuditRecord => message.messagekind === "audit");

  it("is one, after the events, with principal, client, origin and the subject of the first event", async () => {
    const tenant = aTenant();
    const principal = aPrincipal(tenant, { actors: ["cli_agent"], agentTaskId: "task-1", approvalId: "apr_1" });
    const context = callOf({ ...principal, principalType: "Agent" });
    await addNote(context);
    expect((await messagesOf(tenant)).map(({ messagekind }) => messagekind)).toEqual(["event", "event", "audit"]);
    expect(await recordsOf(tenant)).toEqual([
      {
        messagekind: "audit",
        id: expect.stringMatching(/^aud_/),
        type: "AuditRecord",
        time: expect.stringMatching(/Z$/),
        tenantid: tenant.tenantId,
        source: "/catalog",
        operation: "addNote",
        outcome: "Succeeded",
        subject: "templates/first",
        principal: principal.subject,
        principaltype: "Agent",
        clientid: clientId,
        agent: "cli_agent",
        agenttaskid: "task-1",
        approvalid: "apr_1",
        address: "192.0.2.7",
        useragent: `curl/8\ufffd${"x".repeat(193)}`,
        traceid: context.trace.traceId,
        partitionkey: tenant.tenantId,
      },
    ]);
  });

  it("has the subject of the id argument where no event was recorded", async () => {
    const tenant = aTenant();
    const templateId = newId("tpl");
    await addNote(callOf(aPrincipal(tenant)), { events: false, templateId });
    expect(await recordsOf(tenant)).toMatchObject([{ subject: `templates/${templateId}` }]);
  });

  it("is not written with what was rolled back", async () => {
    const tenant = aTenant();
    await expect(addNote(callOf(aPrincipal(tenant)), { fails: true })).rejects.toThrow("refused");
    expect(await messagesOf(tenant)).toEqual([]);
  });

  it("is written once for a repeated Idempotency-Key, also under requests at the same time", async () => {
    const tenant = aTenant();
    const principal = aPrincipal(tenant);
    await Promise.all(Array.from({ length: 10 }, () => addNote(callOf(principal, "same"))));
    await addNote(callOf(principal, "same"));
    expect(await recordsOf(tenant)).toHaveLength(1);
  });

  it("hides the address of an administrator of the platform from the tenant", async () => {
    const tenant = aTenant();
    const administrator = aPrincipal(tenant, { tenantId: platformTenantId, platformAdmin: true });
    await addNote(callOf(administrator), { tenant });
    const [record] = await recordsOf(tenant);
    expect(record).toMatchObject({ tenantid: tenant.tenantId, principal: administrator.subject });
    expect(Object.keys(record ?? {})).not.toEqual(expect.arrayContaining(["address"]));
    expect(Object.keys(record ?? {})).not.toEqual(expect.arrayContaining(["useragent"]));
  });

  describe("costs", () => {
    let way: CountedWay;
    let countedDatabase: Database;
    beforeAll(async () => {
      way = await countedWay(test.definition.connections.app);
      const connections = { ...test.definition.connections, app: way.url };
      countedDatabase = await Database.open({ ...test.definition, connections }, quiet, { wake: () => undefined });
    });
    afterAll(async () => {
      await countedDatabase.close();
      way.close();
    });

    it.each([true, false])("no round trip of its own (events: %s)", async (events) => {
      const tenant = aTenant();
      const cause = { trace: continueTrace(undefined) };
      const bare = () =>
        countedDatabase.transaction(tenant, cause, async ({ em, record }) => {
          em.persist(em.create(noteTable, { tenantId: tenant.uuid, noteId: randomUUID(), text: "bare" }));
          if (events) record({ type: "TemplateRegistered", subject: "templates/bare", data: {} });
        });
      const tripsOf = async (work: () => Promise<unknown>) => {
        const counts: number[] = [];
        // the first round prepares the statements, and another one may open a connection
        for (let round = 0; round < 5; round += 1) {
          way.count();
          await work();
          counts.push(way.count());
        }
        return Math.min(...counts);
      };
      const withoutAudit = await tripsOf(bare);
      const auditedTrips = await tripsOf(() =>
        addNote(callOf(aPrincipal(tenant)), { database: countedDatabase, events }),
      );
      expect(auditedTrips).toBe(withoutAudit);
    });
  });
});
