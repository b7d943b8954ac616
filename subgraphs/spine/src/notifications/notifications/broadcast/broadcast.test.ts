import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { aRoleOf, aUser } from "../../../people/users/user.fixture.js";
import { type Json, principal, RunningSpine, until } from "../../../running-spine.fixture.js";
import { personWith } from "../notification.fixture.js";
import { BroadcastService } from "./broadcast.service.js";

let platform: RunningSpine;
let tenantId: string;

beforeAll(async () => {
  platform = await RunningSpine.start();
  tenantId = await platform.activeTenant("acme");
});
afterAll(() => platform?.stop());

const broadcast = `mutation ($input: BroadcastNotificationInput!) {
  broadcastNotification(input: $input) { messageId recipientCount isComplete createdAt } }`;
const sender = (of = tenantId) => principal(of, ["notification.send", "notification.read"]);

async function told(input: Record<string, unknown>, of = tenantId): Promise<Json> {
  const { data, errors } = await platform.ask(sender(of), broadcast, { input: { body: "Hello, all.", ...input } });
  if (!data) throw new Error(JSON.stringify(errors));
  return data["broadcastNotification"];
}

const recipientsOf = async (messageId: string): Promise<string[]> => {
  const { rows } = await platform.admin.query(
    "select recipient_user_id from notifications where message_id = $1 order by recipient_user_id",
    [decodeId("ntm", messageId)],
  );
  return rows.map((row) => row["recipient_user_id"]);
};
const uuids = (...ids: string[]) => ids.map((id) => decodeId("usr", id) ?? "").sort();

/** Adds users by one statement. */
async function manyUsers(of: string, count: number): Promise<void> {
  await platform.admin.query(
    `insert into users (tenant_id, user_id, email, email_key, status, password_hash, created_at, updated_at)
     select $1, uuidv7(), n || '@many.example', n || '@many.example', 'Active', 'none', now(), now()
     from generate_series(1, $2::int) n`,
    [decodeId("ten", of), count],
  );
}

describe("Mutation.broadcastNotification", () => {
  it("reaches all active users who want it, with one event of each type", async () => {
    const [ada, grace] = [(await aUser(platform, tenantId, [])).userId, (await aUser(platform, tenantId, [])).userId];
    const [quietUser, disabledUser] = [
      (await aUser(platform, tenantId, [])).userId,
      (await aUser(platform, tenantId, [])).userId,
    ];
    await platform.admin.query("update users set status = 'Disabled' where user_id = $1", [
      decodeId("usr", disabledUser),
    ]);
    const preferences = [{ channel: "InApp", category: "news", enabled: false }];
    await platform.ask(
      personWith(tenantId, quietUser, "notification.read"),
      "mutation ($input: SetNotificationPreferencesInput!) { setNotificationPreferences(input: $input) { recipientUserId } }",
      { input: { preferences } },
    );
    const { messageId, recipientCount, isComplete } = await told({ category: "news", title: "News" });
    expect([recipientCount, isComplete]).toEqual([2, true]);
    expect(await recipientsOf(messageId)).toEqual(uuids(ada, grace));
    const events = (await platform.eventsOf(tenantId)).filter(
      ({ subject }) => subject === `notification-messages/${messageId}`,
    );
    expect(events.map(({ type, data }) => [type, data["audience"], data["recipientCount"]])).toEqual([
      ["NotificationRequested", "Tenant", null],
      ["NotificationSent", undefined, 2],
    ]);
    const list = "{ notifications(filter: { unread: true }) { items { messageId title body category status } } }";
    const ownList = await platform.ask(personWith(tenantId, ada, "notification.read"), list);
    expect(ownList.data?.["notifications"].items).toEqual([
      { messageId, title: "News", body: "Hello, all.", category: "news", status: "Sent" },
    ]);
  });

  it("reaches the holders of a role", async () => {
    const role = await platform.admin.query(
      "select role_id, code from roles where tenant_id = $1 and code = 'Viewer'",
      [decodeId("ten", tenantId)],
    );
    const { userId } = await aUser(platform, tenantId, []);
    await aRoleOf(platform, tenantId, userId, [], role.rows[0]?.["role_id"]);
    await aRoleOf(platform, tenantId, newId("cli"), [], role.rows[0]?.["role_id"]);
    expect(await recipientsOf((await told({ roleCode: "viewer" })).messageId)).toEqual(uuids(userId));
    const { refusal } = await platform.ask(sender(), broadcast, { input: { body: "x", roleCode: "Nothing" } });
    expect(refusal).toMatchObject({ code: "REFERENCE_NOT_FOUND", errors: [{ pointer: "/input/roleCode" }] });
  });

  it("is refused in another channel than InApp", async () => {
    const { refusal } = await platform.ask(sender(), broadcast, { input: { body: "x", channel: "Email" } });
    expect(refusal).toMatchObject({ code: "NOT_SUPPORTED", errors: [{ pointer: "/input/channel" }] });
  });

  it("reaches no other tenant", async () => {
    const elsewhere = await platform.activeTenant("elsewhere");
    const { userId } = await aUser(platform, elsewhere, []);
    expect((await told({})).recipientCount).toBeGreaterThan(0);
    expect(await recipientsOf((await told({}, elsewhere)).messageId)).toEqual(uuids(userId));
  });

  it("is refused after 60 of them in an hour", async () => {
    const busy = await platform.activeTenant("busy");
    await told({}, busy);
    await platform.admin.query(
      `insert into notification_messages select (jsonb_populate_record(message,
         jsonb_build_object('message_id', uuidv7()))).* from notification_messages message, generate_series(1, 59)
       where tenant_id = $1`,
      [decodeId("ten", busy)],
    );
    const { refusal } = await platform.ask(sender(busy), broadcast, { input: { body: "x" } });
    expect(refusal).toMatchObject({ code: "RATE_LIMITED", retryAfterSeconds: expect.any(Number) });
  });

  it("waits for a suspended tenant, and ends with an archived one", async () => {
    const asleep = await platform.activeTenant("asleep");
    const { userId } = await aUser(platform, asleep, []);
    const { messageId } = await told({}, asleep);
    const moveTenant = (status: string) =>
      platform.admin.query("update tenants set status = $2 where tenant_id = $1", [decodeId("ten", asleep), status]);
    const latestJob = async () => {
      const { rows } = await platform.admin.query<{ state: string; minutes: number }>(
        `select state::text as state, round(extract(epoch from start_after - now()) / 60)::int as minutes
         from spine_jobs.job where singleton_key = $1 order by created_on desc limit 1`,
        [messageId],
      );
      return rows[0];
    };
    await moveTenant("Suspended");
    await platform.admin.query("update notification_messages set broadcast_after = $2 where message_id = $1", [
      decodeId("ntm", messageId),
      "00000000-0000-0000-0000-000000000000",
    ]);
    const broadcasts = platform.spine.get(BroadcastService);
    await broadcasts.continue({ tenantId: asleep, messageId });
    expect(await latestJob()).toEqual({ state: "created", minutes: 15 });
    expect(await recipientsOf(messageId)).toEqual(uuids(userId));
    await moveTenant("Archived");
    await broadcasts.continue({ tenantId: asleep, messageId });
    const { rows } = await platform.admin.query(
      "select broadcast_after from notification_messages where message_id = $1",
      [decodeId("ntm", messageId)],
    );
    expect(rows).toEqual([{ broadcast_after: null }]);
    expect(await recipientsOf(messageId)).toEqual(uuids(userId));
  });

  it("reaches 10,000 recipients in its transaction, and the others by a job, each of them once", async () => {
    const crowdedTenant = await platform.activeTenant("crowded");
    await manyUsers(crowdedTenant, 20_250);
    const { messageId, recipientCount, isComplete } = await told({}, crowdedTenant);
    expect([recipientCount, isComplete]).toEqual([10_000, false]);
    const count = async () => (await recipientsOf(messageId)).length;
    await until(async () => (await count()) === 20_250);
    expect(new Set(await recipientsOf(messageId)).size).toBe(20_250);
    const { rows } = await platform.admin.query(
      "select recipient_count, broadcast_after from notification_messages where message_id = $1",
      [decodeId("ntm", messageId)],
    );
    expect(rows).toEqual([{ recipient_count: 20_250, broadcast_after: null }]);
    const events = (await platform.eventsOf(crowdedTenant)).filter(({ type }) => type === "NotificationSent");
    expect(events.map(({ data }) => data["recipientCount"])).toEqual([10_000, 10_000, 250]);
  });
});
