import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { Envelope } from "@factory/runtime/messages/envelope";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import {
  type Answer,
  anEvent,
  aPrincipal,
  eventually,
  type IntegrationFixture,
  startIntegrationFixture,
} from "../../integration.fixture.js";

let fixture: IntegrationFixture;
const open: AsyncIterator<Answer>[] = [];

beforeAll(async () => {
  fixture = await startIntegrationFixture({ subscriberLimits: { maxEvents: 200, maxBytes: 256 * 1024 } });
});

afterEach(async () => {
  for (const feed of open.splice(0)) await feed.return?.();
});

afterAll(() => fixture.close());

const events = /* GraphQL */ `
  subscription ($types: [String!], $after: String) {
    events(types: $types, after: $after) {
      eventId type time tenantId source subjectPath data cursor traceId correlationId causationId schemaVersion
    }
  }`;

async function follow(principal: Principal, variables: object = {}, source = events): Promise<AsyncIterator<Answer>> {
  const feed = await fixture.follow(principal, source, { ...variables });
  open.push(feed);
  return feed;
}

async function take(feed: AsyncIterator<Answer>, count: number): Promise<Record<string, unknown>[]> {
  const events: Record<string, unknown>[] = [];
  while (events.length < count) {
    const { value, done } = await feed.next();
    if (done) throw new Error(`ended after ${events.length}`);
    if (value.errors) throw value.errors[0];
    events.push(value.data.events);
  }
  return events;
}

const many = (principal: Principal, count: number, part = {}) =>
  Array.from({ length: count }, () => anEvent(principal, part));
const idsOf = (envelopes: readonly Envelope[]) => envelopes.map(({ id }) => id);
const eventIds = (events: Record<string, unknown>[]) => events.map(({ eventId }) => eventId);

async function logged(...envelopes: Envelope[]): Promise<void> {
  await fixture.bus.publish(envelopes);
  const last = envelopes.at(-1)?.id;
  await eventually(
    async () => (await fixture.rows("select 1 from integration.event_log where envelope->>'id' = $1", last))[0],
  );
}

describe("Subscription.events", () => {
  it("shows live events of the tenant alone, with their envelope", async () => {
    const [principal, other] = [aPrincipal(), aPrincipal()];
    const feed = await follow(principal);
    const event = anEvent(principal);
    await fixture.bus.publish([anEvent(other), event, anEvent(other)]);
    expect(await take(feed, 1)).toEqual([
      {
        eventId: event.id,
        type: "TemplateRegistered",
        time: event.time,
        tenantId: principal.tenantId,
        source: "/catalog",
        subjectPath: event.subject,
        data: event.data,
        cursor: expect.stringMatching(/^[1-9]\d*$/),
        traceId: event.traceid,
        correlationId: event.correlationid,
        causationId: null,
        schemaVersion: "1.0",
      },
    ]);
    const last = anEvent(principal);
    await fixture.bus.publish([anEvent(other), last]);
    expect(eventIds(await take(feed, 1))).toEqual([last.id]);
  });

  it("shows only what the scopes of the token may read, or only the wished types", async () => {
    const principal = aPrincipal();
    const { tenantId = "" } = principal;
    const librarian = await follow(aPrincipal({ tenantId, scopes: ["libraries.read"] }));
    const wishing = await follow(principal, { types: ["LibraryRegistered"] });
    const library = { type: "LibraryRegistered", subject: `libraries/${newId("lib")}` } as const;
    const [template, firstLibrary, secondLibrary] = [
      anEvent(principal),
      anEvent(principal, library),
      anEvent(principal, library),
    ];
    await fixture.bus.publish([firstLibrary, template, secondLibrary]);
    for (const feed of [librarian, wishing])
      expect(eventIds(await take(feed, 2))).toEqual([firstLibrary.id, secondLibrary.id]);
  });

  it("shows events of vendors only with the scope that shows the payloads of deliveries", async () => {
    const principal = aPrincipal();
    const { tenantId = "" } = principal;
    const scopes = ["integration.runs.read", "webhooks.deliveries.read"] as const;
    const [runs, deliveries] = scopes.map((scope) => aPrincipal({ tenantId, scopes: [scope] }));
    const types = ["VendorEventReceived", "PullRequestOpened"] as const;
    for (const type of types)
      await expect(follow(runs as Principal, { types: [type] })).rejects.toMatchObject({
        extensions: { code: "INSUFFICIENT_SCOPE", requiredScopes: ["webhooks.deliveries.read"] },
      });
    const ofRuns = await follow(runs as Principal);
    const ofDeliveries = await follow(deliveries as Principal);
    const vendors = types.map((type) => anEvent(principal, { type, subject: `deliveries/${newId("whd")}` }));
    const run = anEvent(principal, { type: "RunStarted", subject: `runs/${newId("run")}` });
    await fixture.bus.publish([...vendors, run]);
    expect(eventIds(await take(ofRuns, 1))).toEqual([run.id]);
    expect(new Set(eventIds(await take(ofDeliveries, 2)))).toEqual(new Set(idsOf(vendors)));
  });

  it("shows what becomes of tenants to platform administrators alone, of all tenants, and nothing else of theirs", async () => {
    const owner = aPrincipal();
    const administrator = { ...aPrincipal({ tenantId: platformTenantId }), platformAdmin: true };
    const colleague = aPrincipal({ tenantId: platformTenantId });
    const feeds = [await follow(administrator), await follow(colleague), await follow(owner)];
    const tenantEvent = { type: "TenantProvisioned", subject: `tenants/${owner.tenantId}` } as const;
    const [others, provisioning, last] = [anEvent(owner), anEvent(owner, tenantEvent), anEvent(colleague)];
    await fixture.bus.publish([others, provisioning, last]);
    const [byAdministrator, byColleague, byOwner] = await Promise.all(
      [2, 1, 1].map((count, place) => take(feeds[place] as AsyncIterator<Answer>, count)),
    );
    expect(byAdministrator?.map(({ eventId, tenantId }) => [eventId, tenantId])).toEqual([
      [provisioning.id, owner.tenantId],
      [last.id, platformTenantId],
    ]);
    expect([eventIds(byColleague ?? []), eventIds(byOwner ?? [])]).toEqual([[last.id], [others.id]]);
    for (const stranger of [owner, colleague])
      await expect(follow(stranger, { types: ["TenantProvisioned"] })).rejects.toMatchObject({
        extensions: { code: "PLATFORM_ADMIN_REQUIRED" },
      });
    const again = await follow(administrator, { after: "0", types: ["TenantProvisioned"] });
    expect(eventIds(await take(again, 1))).toEqual([provisioning.id]);
  });

  it("replays after a cursor in pages and goes on live, in order, without gap or repetition", async () => {
    const principal = aPrincipal();
    const before = many(principal, 450);
    await logged(...before);
    const first = await take(await follow(principal, { after: "0" }), 1);
    expect(eventIds(first)).toEqual([before[0]?.id]);
    const feed = await follow(principal, { after: String(first[0]?.["cursor"]) });
    const live: Envelope[] = [];
    const publishing = (async () => {
      for (let burst = 0; burst < 30; burst += 1) {
        const batch = many(principal, 5);
        live.push(...batch);
        await fixture.bus.publish(batch);
      }
    })();
    const events = await take(feed, 449 + 150);
    await publishing;
    expect(eventIds(events)).toEqual([...idsOf(before).slice(1), ...idsOf(live)]);
    const positions = events.map(({ cursor }) => Number(cursor));
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
  });

  it("counts the events of the tenant alone: the others are as if they did not exist", async () => {
    const [principal, other] = [aPrincipal(), aPrincipal()];
    const feeds = [await follow(principal), await follow(other)];
    for (let place = 0; place < 3; place += 1)
      await fixture.bus.publish([...many(other, 40), anEvent(principal), ...many(other, 20)]);
    const [mine = [], theirs = []] = await Promise.all(
      [3, 180].map((count, place) => take(feeds[place] as AsyncIterator<Answer>, count)),
    );
    expect(mine.map(({ cursor }) => cursor)).toEqual(["1", "2", "3"]);
    expect(theirs.map(({ cursor }) => cursor)).toEqual(Array.from({ length: 180 }, (_, place) => `${place + 1}`));
    // the other tenant's cursor neither opens nor tells anything
    for (const cursor of ["4", "180", "100000"])
      await expect(follow(principal, { after: cursor })).rejects.toMatchObject({
        extensions: { code: "INVALID_CURSOR" },
      });
    expect(eventIds(await take(await follow(principal, { after: "2" }), 1))).toEqual([mine[2]?.["eventId"]]);
  });

  it("counts an event once that the bus delivers again", async () => {
    const principal = aPrincipal();
    const [before, after] = [many(principal, 3), anEvent(principal)];
    await logged(...before);
    await fixture.restart(async () => {
      await fixture.rows("update bus.consumers set position = 0 where name = 'integration.event-log'");
    });
    await logged(after);
    const events = await take(await follow(principal, { after: "0" }), 4);
    expect(events.map(({ cursor }) => cursor)).toEqual(["1", "2", "3", "4"]);
  });

  it("resumes behind the last event that was seen", async () => {
    const principal = aPrincipal();
    const envelopes = many(principal, 10);
    await logged(...envelopes);
    const events = await take(await follow(principal, { after: "0" }), 4);
    const rest = await take(await follow(principal, { after: String(events.at(-1)?.["cursor"]) }), 6);
    expect(eventIds([...events, ...rest])).toEqual(idsOf(envelopes));
  });

  it("lets go of a subscriber that falls behind, with the cursor to resume from", async () => {
    const principal = aPrincipal();
    const [slow, quick] = [await follow(principal), await follow(principal)];
    const envelopes = many(principal, 400);
    const taking = take(quick, envelopes.length);
    await fixture.bus.publish(envelopes.slice(0, 2));
    const [firstEvent] = await take(slow, 1);
    await fixture.bus.publish(envelopes.slice(2));
    expect(eventIds(await taking)).toEqual(idsOf(envelopes));
    const { value } = await slow.next();
    expect(value.errors?.[0]?.extensions).toMatchObject({
      code: "SUBSCRIPTION_LAGGED",
      cursor: firstEvent?.["cursor"],
    });
    expect(await slow.next()).toEqual({ done: true, value: undefined });
    const secondFeed = await follow(principal, { after: value.errors?.[0]?.extensions["cursor"] });
    expect(eventIds(await take(secondFeed, 399))).toEqual(idsOf(envelopes).slice(1));
  });

  it("bounds what waits by size too, and tells the cursor also where no event was seen", async () => {
    const principal = aPrincipal();
    await logged(...many(aPrincipal(), 5));
    const [slow, quick] = [await follow(principal), await follow(principal)];
    const taking = take(quick, 10);
    const large = many(principal, 10, { data: { text: "x".repeat(30_000) } });
    await fixture.bus.publish(large);
    await taking;
    const { code, cursor } = (await slow.next()).value.errors?.[0]?.extensions ?? {};
    expect([code, cursor]).toEqual(["SUBSCRIPTION_LAGGED", "0"]);
    expect(eventIds(await take(await follow(principal, { after: String(cursor) }), 10))).toEqual(idsOf(large));
  });

  it("ends when the token expires, while it waits and while it replays", async () => {
    const expiresAt = Math.floor(Date.now() / 1000) + 2;
    const principal = aPrincipal({ expiresAt });
    const feed = await follow(principal);
    const { value } = await feed.next();
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt * 1000);
    expect(value.errors?.[0]?.extensions).toMatchObject({ code: "TOKEN_EXPIRED", status: 401, cursor: "0" });
    expect((await feed.next()).done).toBe(true);
    await logged(anEvent(principal));
    const replay = await follow(principal, { after: "0" });
    expect((await replay.next()).value.errors?.[0]?.extensions).toMatchObject({ code: "TOKEN_EXPIRED" });
  });

  it("gives an event that was committed while the log was read for others", async () => {
    const principal = aPrincipal();
    const event = anEvent(principal);
    await fixture.rows("begin");
    await fixture.rows("lock table integration.event_log in access exclusive mode");
    await eventually(async () => {
      // inside a transaction PostgreSQL shows the activity at its first look
      await fixture.rows("select pg_stat_clear_snapshot()");
      const waiting =
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1";
      return (await fixture.rows(waiting, "%from event_log, lateral%"))[0];
    });
    const feed = await follow(principal);
    const next = take(feed, 1);
    await fixture.rows(
      `insert into integration.event_log (tenant_id, sequence, event_id, type, envelope)
       values ($1, 1, gen_random_uuid(), $2, $3)`,
      decodeId("ten", principal.tenantId ?? ""),
      event.type,
      JSON.stringify(event),
    );
    await fixture.rows("commit");
    expect(eventIds(await next)).toEqual([event.id]);
  });

  it("ends at once when the subscriber leaves while it waits", async () => {
    const feed = await follow(aPrincipal());
    const waiting = feed.next();
    await feed.return?.();
    expect((await waiting).done).toBe(true);
  });

  it.each([
    [
      "an unknown type",
      { types: ["TemplateRegistered", "Nonsense"] },
      "VALIDATION_FAILED",
      /"Nonsense" is not an event type/,
    ],
    ["no type at all", { types: [] }, "VALIDATION_FAILED", /empty/],
    ["a malformed cursor", { after: "yesterday" }, "INVALID_CURSOR", /or 0/],
    ["a negative cursor", { after: "-1" }, "INVALID_CURSOR", /or 0/],
    ["a cursor beyond numbers", { after: "9999999999999999" }, "INVALID_CURSOR", /or 0/],
    ["a cursor ahead of every event", { after: "900719925474099" }, "INVALID_CURSOR", /newer than the newest/],
  ])("refuses %s, and says what is wrong", async (_, variables, code, message) => {
    const refusal = { message: expect.stringMatching(message), extensions: { code } };
    await expect(follow(aPrincipal(), variables)).rejects.toMatchObject(refusal);
  });

  it("refuses a token that may read no event, or not the wished one, or names no tenant", async () => {
    const none = aPrincipal({ scopes: ["templates.write"] });
    await expect(follow(none)).rejects.toMatchObject({ extensions: { code: "INSUFFICIENT_SCOPE" } });
    const libraries = aPrincipal({ scopes: ["libraries.read"] });
    await expect(follow(libraries, { types: ["TemplateRegistered"] })).rejects.toMatchObject({
      extensions: { code: "INSUFFICIENT_SCOPE", requiredScopes: ["templates.read"] },
    });
    const platform = { ...aPrincipal(), tenantId: undefined };
    await expect(follow(platform)).rejects.toMatchObject({ extensions: { code: "TENANT_REQUIRED" } });
  });

  it("says when a cursor is older than what is kept, to the tenant it concerns", async () => {
    const [principal, other] = [aPrincipal(), aPrincipal()];
    const [old, keptEvent] = [anEvent(principal), anEvent(principal)];
    await logged(old, keptEvent, anEvent(other));
    await fixture.rows(
      "update integration.event_log set recorded_at = now() - interval '8 days' where envelope->>'id' = $1",
      old.id,
    );
    await fixture.prune();
    await expect(follow(principal, { after: "0" })).rejects.toMatchObject({ extensions: { code: "CURSOR_EXPIRED" } });
    const [horizon] = await fixture.rows<{ position: string }>(
      "select pruned_through as position from integration.event_log_horizons order by pruned_through desc limit 1",
    );
    expect(eventIds(await take(await follow(principal, { after: horizon?.position }), 1))).toEqual([keptEvent.id]);
    expect(await take(await follow(other, { after: "0" }), 1)).toHaveLength(1);
  });
});

describe("PlatformEvent.subject", () => {
  const source = /* GraphQL */ `
    subscription {
      events {
        subjectPath
        subject {
          __typename
          ... on Template { templateId }
          ... on TemplateVersion { templateVersionId }
          ... on Execution { executionId }
          ... on Library { libraryId }
          ... on Provider { key displayName }
        }
      }
    }`;

  it("is a key of another subgraph's type, or nothing", async () => {
    const principal = aPrincipal();
    const feed = await follow(principal, {}, source);
    const [templateId, templateVersionId, executionId, libraryId] = [
      newId("tpl"),
      newId("tpv"),
      newId("exe"),
      newId("lib"),
    ];
    const subjects = [
      `templates/${templateId}`,
      `templates/${templateId}/versions/${templateVersionId}`,
      `executions/${executionId}`,
      `libraries/${libraryId}/versions/${newId("lbv")}`,
      "nothing/known",
      `providers/${newId("prv")}`,
    ];
    await fixture.bus.publish(subjects.map((subject) => anEvent(principal, { subject })));
    const events = await take(feed, subjects.length);
    expect(events.map(({ subject }) => subject)).toEqual([
      { __typename: "Template", templateId },
      { __typename: "TemplateVersion", templateVersionId },
      { __typename: "Execution", executionId },
      { __typename: "Library", libraryId },
      null,
      null,
    ]);
  });

  it("is the whole object where this subgraph owns it", async () => {
    const principal = aPrincipal();
    const feed = await follow(principal, {}, source);
    await fixture.run(
      principal,
      "mutation ($i: RegisterProviderInput!) { registerProvider(input: $i) { providerId } }",
      { i: { key: "github", displayName: "GitHub", category: "SourceControl", authModel: "AppInstallation" } },
    );
    const [firstEvent] = await take(feed, 1);
    expect(firstEvent?.["subject"]).toEqual({ __typename: "Provider", key: "github", displayName: "GitHub" });
  });

  it("is closed to a token that may read the event, but not the subject", async () => {
    const principal = aPrincipal();
    const reader = aPrincipal({ tenantId: principal.tenantId ?? "", scopes: ["templates.read"] });
    const feed = await follow(reader, {}, source);
    await fixture.bus.publish([anEvent(principal, { subject: `providers/${newId("prv")}` })]);
    const { value } = await feed.next();
    expect(value.data?.events?.subject).toBeNull();
    expect(value.errors?.[0]).toMatchObject({
      path: ["events", "subject"],
      extensions: { code: "INSUFFICIENT_SCOPE", requiredScopes: ["integration.providers.read"] },
    });
  });
});
