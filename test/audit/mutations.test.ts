import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { AuditRecord } from "@factory/runtime/messages/audit-record";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { type GraphQLField, getNamedType, isLeafType, valueFromASTUntyped } from "graphql";
import { decodeJwt } from "jose";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { aFeed } from "../kit/feed.js";
import { platform } from "../kit/platform.js";
import { graphql, request } from "../kit/request.js";
import { committedGraph } from "../kit/routes.js";
import { aTenant, platformToken } from "../kit/tenants.js";
import { mutationArguments } from "./mutation-arguments.js";
import type { World } from "./mutation-world.js";

type Field = GraphQLField<unknown, unknown>;

/** Mutations that nothing can call with success: no failed job in the integration subgraph can be sent again. */
const impossible = new Set(["redriveIntegrationJob"]);

/** A vendor's delivery has no principal. Its event is its record, and only a refused delivery is audited. */
const unauditedFields = new Set(["ingestWebhookDelivery"]);

/** Mutations whose caller has proven nothing. */
const unknownCallers = new Set(["requestPasswordReset"]);

/** A former name runs the same mutation, whose record has the present name. */
const isFormerName = ({ description, deprecationReason }: Field) =>
  deprecationReason !== undefined && /^As `\w+`\.$/.test(description ?? "");

const fields = Object.values(committedGraph().getMutationType()?.getFields() ?? {}).filter(
  (field) => !impossible.has(field.name) && !unauditedFields.has(field.name) && !isFormerName(field),
);

const rulesOf = ({ astNode }: Field): Record<string, unknown> => {
  const directive = astNode?.directives?.find(({ name }) => name.value === "auth");
  return Object.fromEntries(
    (directive?.arguments ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value)]),
  );
};

const userAgent = "audited-walk/1.0";
const canary = "canary-9f2c71";

let world: World;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  const tenant = await aTenant();
  world = {
    tenant,
    token: await tenant.tokenWith(),
    adminToken: await platformToken(),
    canary,
    onEnd: (end) => ends.push(end),
  };
});
afterAll(() => Promise.all(ends.map((end) => end())));

/** A trace's audit records, which transactions in all subgraphs have written. */
async function recordsOf(traceId: string | null): Promise<AuditRecord[]> {
  const outboxes = ["catalog", "integration", "spine"].map((schema) => `select envelope from ${schema}.outbox`);
  const records = await rows<{ envelope: AuditRecord }>(
    `select envelope from (${outboxes.join(" union all ")}) outboxes
     where envelope->>'messagekind' = 'audit' and envelope->>'traceid' = $1`,
    [traceId],
  );
  return records.map(({ envelope }) => envelope);
}

async function call(field: Field, { ownToken, ...values }: Record<string, unknown>) {
  const { anonymous, platformAdmin, internal } = rulesOf(field);
  const caller = typeof ownToken === "string" ? ownToken : world.token;
  const token = anonymous ? undefined : platformAdmin ? world.adminToken : caller;
  const headers = { "user-agent": userAgent };
  if (internal) {
    const path = `POST /v1/tenants/${String(values["tenantId"])}/provision`;
    return { token, ...(await request(path, { base: platform().internalUrl, token, headers, body: {} })) };
  }
  const usedArguments = field.args.filter(({ name }) => name in values);
  const variables = usedArguments.map(({ name, type }) => `$${name}: ${String(type)}`).join(", ");
  const list = usedArguments.map(({ name }) => `${name}: $${name}`).join(", ");
  const head = variables === "" ? ["", ""] : [`(${variables})`, `(${list})`];
  const selection = isLeafType(getNamedType(field.type)) ? "" : "{ __typename }";
  const query = `mutation ${head[0]} { ${field.name}${head[1]} ${selection} }`;
  const answer = await graphql(query, { token, variables: values, headers });
  if (answer.body.errors) throw new Error(`${field.name}: ${answer.text}`);
  return { token, ...answer };
}

describe.each(fields.map((field) => ({ name: field.name, field })))("Mutation.$name", ({ name, field }) => {
  it("writes exactly one audit record, with its principal", async () => {
    const prepare = mutationArguments[name];
    if (!prepare) throw new Error(`test/audit has no arguments of ${name}`);
    const { token, status, text, headers } = await call(field, await prepare(world));
    expect([status < 300, text]).toEqual([true, text]);
    // a request for a new password is recorded after its answer
    const traceId = headers.get("x-trace-id");
    await eventually(`${name} is recorded`, async () => (await recordsOf(traceId)).length > 0);
    const records = await recordsOf(traceId);
    expect(records.map(({ operation, outcome }) => [operation, outcome])).toEqual([[name, "Succeeded"]]);
    const [record] = records;
    const anonymous = unknownCallers.has(name) ? undefined : expect.stringMatching(/^usr_/);
    const principal = token === undefined ? anonymous : decodeJwt(token).sub;
    expect(record?.principal).toEqual(principal);
    expect(record).toMatchObject({ subject: expect.stringMatching(/^[a-z-]+\/.+/) });
    const isOwn = record?.tenantid === platformTenantId || record?.tenantid === world.tenant.tenantId;
    const isForeign = token === world.adminToken && record?.tenantid !== platformTenantId;
    expect([isOwn || isForeign, record?.useragent, record?.address]).toEqual(
      isForeign ? [true, undefined, undefined] : [true, userAgent, expect.stringMatching(/^127\.0\.0\.1$|\/64$/)],
    );
  });
});

describe("the audit records of all mutations", () => {
  it("reach the bus, and no event log, webhook, websocket or dead letter", async () => {
    const uuid = decodeId("ten", world.tenant.tenantId);
    await eventually("the records are published", async () => {
      const waiting = await rows(
        "select from catalog.outbox where type = 'AuditRecord' and published_at is null and tenant_id = $1",
        [uuid],
      );
      return waiting.length === 0;
    });
    const auditRecords = await rows(
      "select from bus.messages where type = 'AuditRecord' and envelope->>'tenantid' = $1",
      [world.tenant.tenantId],
    );
    expect(auditRecords.length).toBeGreaterThan(30);
    for (const table of ["event_log", "webhook_messages"])
      expect(await rows(`select from integration.${table} stored where stored::text like '%AuditRecord%'`)).toEqual([]);
    expect(await rows("select from bus.dead_letters where envelope->>'messagekind' = 'audit'")).toEqual([]);
    const feed = await aFeed<{ events: { type: string } }>({
      token: world.token,
      query: 'subscription { events(after: "0") { type } }',
    });
    await eventually("the events arrive", () => feed.events.length > 30);
    expect(feed.events.map(({ events }) => events.type)).not.toContain("AuditRecord");
    await feed.stop();
  });

  it("hold no secret, password or token", async () => {
    const envelopes = await rows<{ text: string }>(
      "select envelope::text as text from bus.messages where type = 'AuditRecord'",
    );
    const all = envelopes.map(({ text }) => text).join("\n");
    expect(all).not.toContain(canary);
    for (const token of [world.token, world.adminToken]) expect(all).not.toContain(token.split(".")[2]);
    expect(all).not.toMatch(/eyJ[\w-]{20,}/);
  });
});
