import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import {
  buildASTSchema,
  type GraphQLObjectType,
  getNamedType,
  isNonNullType,
  isObjectType,
  isUnionType,
  parse,
} from "graphql";
import { scannedSet } from "../kit/dependency-scans.js";
import { eventually } from "../kit/eventually.js";
import { aFeed } from "../kit/feed.js";
import { anInboundSource, asSpecified } from "../kit/inbound-sources.js";
import { request } from "../kit/request.js";
import { tenantObjects } from "../kit/tenant-objects.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

const maxDepth = 3;

/** All fields without required arguments, up to `depth` levels. */
function selectionOf(type: GraphQLObjectType, depth = 1): string {
  const fields = Object.values(type.getFields()).flatMap((field) => {
    if (field.args.some((argument) => isNonNullType(argument.type) && argument.defaultValue === undefined)) return [];
    const inner = getNamedType(field.type);
    if (isUnionType(inner)) return [];
    if (!isObjectType(inner)) return [field.name];
    return depth < maxDepth ? [`${field.name} ${selectionOf(inner, depth + 1)}`] : [];
  });
  return `{ __typename ${fields.join(" ")} }`;
}

async function subjectTypes(): Promise<{ name: string; selection: string }[]> {
  const file = fileURLToPath(import.meta.resolve("@factory/schema/supergraph.graphql"));
  const schema = buildASTSchema(parse(await readFile(file, "utf8")), { assumeValid: true });
  const union = schema.getType("EventSubject");
  if (!isUnionType(union)) throw new Error("EventSubject is no union");
  return union.getTypes().map((type) => ({ name: type.name, selection: selectionOf(type) }));
}

interface ReceivedEvent {
  readonly events: {
    readonly type: string;
    readonly tenantId: string;
    readonly subject: { __typename?: string; templateId?: string; name?: string } | null;
  };
}

describe("answers that subscribers share", () => {
  let tenant: TestTenant;

  beforeAll(async () => {
    tenant = await aTenant();
  });

  it("use only those members of a principal that the whole group has in common, for any joined entity", async () => {
    await tenantObjects(tenant);
    const token = await tenant.tokenWith();
    const source = await anInboundSource(token, { preset: "webhook" });
    const delivery = { providerDeliveryId: "one", eventName: "order.created", payload: {} };
    await request("POST /webhooks/deliveries", asSpecified(source, delivery));
    await scannedSet(token);
    const typeNames = new Set<string>();
    for (const { name, selection } of await subjectTypes()) {
      const query = `subscription { events(after: "0") { type subject { __typename ... on ${name} ${selection} } } }`;
      const feed = await aFeed<ReceivedEvent>({ query, token });
      // only platform administrators receive tenants' events
      if (name !== "Tenant")
        await eventually(`an event about a ${name} is told`, () =>
          feed.events.some(({ events }) => events.subject?.__typename === name),
        );
      for (const { events } of feed.events) typeNames.add(events.subject?.__typename ?? "none");
      expect([name, feed.errors]).toEqual([name, []]);
      await feed.stop();
    }
    expect(typeNames.size).toBeGreaterThan(5);
  });

  it("are never shared with another tenant or with a principal with other scopes", async () => {
    const query = "subscription { events { type tenantId subject { ... on Template { templateId name } } } }";
    const stranger = await aTenant();
    const tokens = {
      whole: await tenant.tokenWith(),
      narrow: await tenant.tokenWith("libraries.read", "libraries.write"),
      stranger: await stranger.tokenWith(),
    };
    const feeds = {
      whole: await aFeed<ReceivedEvent>({ query, token: tokens.whole }),
      narrow: await aFeed<ReceivedEvent>({ query, token: tokens.narrow }),
      stranger: await aFeed<ReceivedEvent>({ query, token: tokens.stranger }),
    };
    const types = (feed: { events: readonly ReceivedEvent[] }) => new Set(feed.events.map(({ events }) => events.type));
    await eventually("each subscriber gets the events that it may see", async () => {
      await Promise.all([
        request("POST /v1/templates", { token: tokens.whole, body: { name: `Own ${Math.random()}` } }),
        request("POST /v1/templates", { token: tokens.stranger, body: { name: `Strange ${Math.random()}` } }),
        request("POST /v1/libraries", {
          token: tokens.narrow,
          body: { packageName: `P${Math.random().toString(36).slice(2)}` },
        }),
      ]);
      return types(feeds.whole).size === 2 && types(feeds.narrow).size === 1 && feeds.stranger.events.length > 0;
    });
    expect([...types(feeds.narrow)]).toEqual(["LibraryRegistered"]);
    const names = (feed: { events: readonly ReceivedEvent[] }) =>
      feed.events.flatMap(({ events }) => events.subject?.name ?? []);
    for (const feed of [feeds.whole, feeds.narrow])
      for (const { events } of feed.events) expect(events.tenantId).toBe(tenant.tenantId);
    for (const { events } of feeds.stranger.events) expect(events.tenantId).toBe(stranger.tenantId);
    expect(names(feeds.whole).every((name) => name.startsWith("Own"))).toBe(true);
    expect(names(feeds.stranger).every((name) => name.startsWith("Strange"))).toBe(true);
    for (const feed of Object.values(feeds)) {
      expect(feed.errors).toEqual([]);
      await feed.stop();
    }
  });
});
