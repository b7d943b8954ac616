import type { SchemaConnections } from "@factory/runtime/connections/schema-connections";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Envelope } from "@factory/runtime/messages/envelope";
import { migrate } from "@factory/runtime/unit-of-work/migrate";
import type pg from "pg";
import {
  anEvent,
  aPrincipal,
  eventually,
  type IntegrationFixture,
  startIntegrationFixture,
} from "../../integration.fixture.js";
import { integrationTables } from "../../tables.js";

const [ours, others] = [aPrincipal(), aPrincipal()];
const [first, second, prunedEvent] = [anEvent(ours), anEvent(ours), anEvent(ours)];
let fixture: IntegrationFixture;

beforeAll(async () => {
  const formerly = async (connections: SchemaConnections, admin: pg.Pool) => {
    const { migrations, ...tables } = integrationTables;
    const before = migrations.findIndex(({ name }) => name.includes("event_sequences"));
    await migrate({ connections, ...tables, migrations: migrations.slice(0, before) });
    const write = (event: Envelope) =>
      admin.query("insert into integration.event_log (tenant_id, event_id, type, envelope) values ($1, $2, $3, $4)", [
        decodeId("ten", event.tenantid),
        decodeId("evt", event.id),
        event.type,
        JSON.stringify(event),
      ]);
    for (const event of [prunedEvent, anEvent(others), first, anEvent(others), second]) await write(event);
    for (let place = 0; place < 20; place += 1) await write(anEvent(others));
    await admin.query("delete from integration.event_log where event_id = $1", [decodeId("evt", prunedEvent.id)]);
    await admin.query("insert into integration.event_log_horizons values ($1, 1)", [
      decodeId("ten", ours.tenantId ?? ""),
    ]);
  };
  fixture = await startIntegrationFixture({}, undefined, { formerly });
});

afterAll(() => fixture.close());

const query = "subscription ($after: String) { events(after: $after) { eventId cursor } }";

async function after(cursor: string, count: number) {
  const feed = await fixture.follow(ours, query, { after: cursor });
  const takenEvents: { eventId: string; cursor: string }[] = [];
  while (takenEvents.length < count) takenEvents.push((await feed.next()).value.data.events);
  await feed.return?.();
  return takenEvents;
}

describe("cursors that were given out when one count held the events of all tenants", () => {
  it("resume where they did, and later events of the tenant count on without those of the others", async () => {
    const later = Array.from({ length: 3 }, () => anEvent(ours));
    for (const event of later) await fixture.bus.publish([anEvent(others), event, anEvent(others)]);
    await eventually(
      async () => (await fixture.rows("select from integration.event_log where envelope->>'id' = $1", later[2]?.id))[0],
    );
    const ids = [first, second, ...later].map(({ id }) => id);
    const all = await after("1", 5);
    // 25 events were in the log
    expect(all.map(({ cursor }) => cursor)).toEqual(["3", "5", "26", "27", "28"]);
    expect(all.map(({ eventId }) => eventId)).toEqual(ids);
    expect((await after("3", 4)).map(({ eventId }) => eventId)).toEqual(ids.slice(1));
    // the cursor for a subscriber that had not seen its first event yet
    expect((await after("25", 3)).map(({ eventId }) => eventId)).toEqual(ids.slice(2));
    await expect(after("0", 1)).rejects.toMatchObject({ extensions: { code: "CURSOR_EXPIRED" } });
  });

  it("are refused once events behind them are no longer kept, which is after 7 days", async () => {
    await fixture.rows("update integration.event_log set recorded_at = now() - interval '8 days' where position <= 25");
    await fixture.prune();
    await expect(after("3", 1)).rejects.toMatchObject({ extensions: { code: "CURSOR_EXPIRED" } });
  });
});
