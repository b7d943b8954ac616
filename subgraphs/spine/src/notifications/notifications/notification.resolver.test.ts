import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { aUser } from "../../people/users/user.fixture.js";
import { type Json, principal, RunningSpine } from "../../running-spine.fixture.js";
import { notificationFields, notificationNow, personWith, sendDocument, sent } from "./notification.fixture.js";

let platform: RunningSpine;
let tenantId: string;
let ada: string;
let grace: string;

beforeAll(async () => {
  platform = await RunningSpine.start();
  tenantId = await platform.activeTenant("acme");
  ada = (await aUser(platform, tenantId, [])).userId;
  grace = (await aUser(platform, tenantId, [])).userId;
});
afterAll(() => platform?.stop());

const list = `query ($first: Int, $after: String, $sort: String, $filter: NotificationFilterInput) {
  notifications(first: $first, after: $after, sort: $sort, filter: $filter) {
    items { ${notificationFields} } nextCursor } }`;
const oneNotification = `query ($id: ID!) { notification(notificationId: $id) { ${notificationFields} } }`;
const mark = `mutation ($id: ID!) { markNotificationRead(notificationId: $id) { ${notificationFields} } }`;
const markAll = `mutation ($input: MarkNotificationsReadInput) {
  markNotificationsRead(input: $input) { recipientUserId marked hasMore } }`;

const service = (of = tenantId) => principal(of, ["notification.read", "notification.send"]);
const reader = (userId: string) => personWith(tenantId, userId, "notification.read");
const inApp = (userId: string, more: Record<string, unknown> = {}) =>
  sent(platform, tenantId, { channel: "InApp", recipient: { userId }, body: "It has arrived.", ...more });

async function idsOf(by: ReturnType<typeof reader>, filter: Record<string, unknown> = {}): Promise<string[]> {
  const { data, errors } = await platform.ask(by, list, { first: 200, filter });
  if (!data) throw new Error(JSON.stringify(errors));
  return data["notifications"].items.map((item: Json) => item.notificationId);
}

const eventsAbout = async (subject: string) =>
  (await platform.eventsOf(tenantId)).filter((event) => event.subject === subject);

describe("Mutation.sendNotification", () => {
  it("puts an in-app notification into the inbox of each recipient, with the events of both", async () => {
    const input = { channel: "InApp", recipients: [{ userId: ada }, { userId: grace }], title: "News", body: "Hello." };
    const { notificationIds, messageId, status } = await sent(platform, tenantId, { ...input, priority: "High" });
    expect([notificationIds.length, status]).toEqual([2, "Sent"]);
    for (const [at, userId] of [ada, grace].entries()) {
      const notificationId = notificationIds[at] ?? "";
      expect(await notificationNow(platform, tenantId, notificationId)).toMatchObject({
        ...{ notificationId, messageId, channel: "InApp", category: "general", priority: "High", status: "Sent" },
        ...{ title: "News", body: "Hello.", failureReason: null, sentAt: expect.any(String), readAt: null },
        recipient: { userId, email: null, phone: null, subscriptionId: null },
      });
      const events = await eventsAbout(`notifications/${notificationId}`);
      expect(events.map(({ type }) => type)).toEqual(["NotificationRequested", "NotificationSent"]);
      expect(events[0]?.data).toMatchObject({ messageId, recipientUserId: userId, recipientCount: 2 });
      expect(JSON.stringify(events)).not.toContain("Hello.");
    }
  });

  it("writes one audit record", async () => {
    const { notificationId } = await inApp(ada);
    const { rows } = await platform.admin.query(
      "select envelope from outbox where envelope->>'messagekind' = 'audit' and envelope->>'subject' = $1",
      [`notifications/${notificationId}`],
    );
    expect(rows.map(({ envelope }) => [envelope.operation, envelope.outcome])).toEqual([
      ["sendNotification", "Succeeded"],
    ]);
  });

  it("refuses a user who is unknown, inactive or of another tenant", async () => {
    const disabledUser = (await aUser(platform, tenantId, [])).userId;
    await platform.admin.query("update users set status = 'Disabled' where user_id = $1", [
      decodeId("usr", disabledUser),
    ]);
    const elsewhere = await platform.activeTenant("elsewhere");
    const foreign = (await aUser(platform, elsewhere, [])).userId;
    const recipients = [ada, newId("usr"), disabledUser, foreign, "usr_nothing"].map((userId) => ({ userId }));
    const before = await platform.admin.query("select count(*) from notifications");
    const { refusal } = await platform.ask(service(), sendDocument, {
      input: { channel: "InApp", recipients, body: "Hello." },
    });
    expect(refusal).toMatchObject({ code: "REFERENCE_NOT_FOUND" });
    expect(refusal?.["errors"].map(({ pointer }: Json) => pointer)).toEqual(
      [1, 2, 3, 4].map((at) => `/input/recipients/${at}/userId`),
    );
    expect((await platform.admin.query("select count(*) from notifications")).rows).toEqual(before.rows);
  });

  it("refuses the templateKey of an unknown template", async () => {
    const input = { channel: "InApp", recipient: { userId: ada }, templateKey: "welcome" };
    expect((await platform.ask(service(), sendDocument, { input })).refusal).toMatchObject({
      ...{ code: "REFERENCE_NOT_FOUND", errors: [{ pointer: "/input/templateKey" }] },
    });
  });

  it("is refused after too many recipients in a minute, by the edition of the token", async () => {
    const flooding = await platform.activeTenant("flooding");
    const by = { ...service(flooding), editionCode: "Free" };
    const recipients = Array.from({ length: 100 }, () => ({ userId: newId("usr") }));
    const codes: unknown[] = [];
    for (let request = 0; request < 13; request += 1) {
      const { refusal } = await platform.ask(by, sendDocument, { input: { channel: "InApp", recipients, body: "x" } });
      codes.push(refusal?.["code"]);
    }
    expect(codes).toEqual([...Array.from({ length: 12 }, () => "REFERENCE_NOT_FOUND"), "RATE_LIMITED"]);
  });

  it("is carried out once for one Idempotency-Key", async () => {
    const input = { channel: "InApp", recipient: { userId: ada }, body: "Once." };
    const first = await platform.ask(service(), sendDocument, { input }, "once");
    const again = await platform.ask(service(), sendDocument, { input }, "once");
    expect([again.data, again.replayed]).toEqual([first.data, true]);
  });
});

describe("Query.notifications", () => {
  it("shows a person the own notifications only", async () => {
    const [ours, theirs] = [(await inApp(ada)).notificationId, (await inApp(grace)).notificationId];
    const visibleIds = await idsOf(reader(ada));
    expect([visibleIds.includes(ours), visibleIds.includes(theirs)]).toEqual([true, false]);
    expect((await platform.ask(reader(ada), oneNotification, { id: theirs })).refusal).toMatchObject({
      code: "NOT_FOUND",
    });
    const { refusal } = await platform.ask(reader(ada), list, { filter: { recipientUserId: grace } });
    expect(refusal).toMatchObject({ code: "INSUFFICIENT_SCOPE", requiredScopes: ["notification.send"] });
  });

  it("shows a service, and a person who may send, those of the whole tenant and of no other tenant", async () => {
    const ids = [(await inApp(ada)).notificationId, (await inApp(grace)).notificationId];
    const sender = personWith(tenantId, newId("usr"), "notification.read", "notification.send");
    for (const by of [service(), sender]) expect(await idsOf(by)).toEqual(expect.arrayContaining(ids));
    expect(await idsOf(service(), { recipientUserId: grace })).toContain(ids[1]);
    expect(await idsOf(service(), { recipientUserId: grace })).not.toContain(ids[0]);
    const other = await platform.activeTenant("other");
    expect(await idsOf(service(other))).toEqual([]);
  });

  it("shows an agent of a person that person's notifications, and an agent of a service none", async () => {
    const { notificationId } = await inApp(ada);
    const agent = { principalType: "Agent" as const, agentTaskId: "task" };
    expect(await idsOf({ ...reader(ada), ...agent })).toContain(notificationId);
    expect(await idsOf({ ...principal(tenantId, ["notification.read"]), ...agent })).toEqual([]);
  });

  it("filters by state, channel and read mark, alone and together", async () => {
    const person = (await aUser(platform, tenantId, [])).userId;
    const [readId, unreadId] = [(await inApp(person)).notificationId, (await inApp(person)).notificationId];
    await platform.ask(reader(person), mark, { id: readId });
    const filterCases: [Record<string, unknown>, string[]][] = [
      [{ status: "Read" }, [readId]],
      [{ status: "Sent" }, [unreadId]],
      [{ channel: "InApp" }, [readId, unreadId]],
      [{ channel: "Email" }, []],
      [{ unread: true }, [unreadId]],
      [{ unread: false }, [readId]],
      [{ unread: true, channel: "InApp", status: "Sent" }, [unreadId]],
    ];
    for (const [filter, ids] of filterCases)
      expect([filter, await idsOf(reader(person), filter)]).toEqual([filter, ids]);
  });

  it("is read in pages in both orders", async () => {
    const person = (await aUser(platform, tenantId, [])).userId;
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push((await inApp(person)).notificationId);
    for (const [sort, order] of [
      ["createdAt", ids],
      ["-createdAt", [...ids].reverse()],
    ] as const) {
      const listedIds: string[] = [];
      for (let after: string | null = null, pages = 0; pages < 9; pages += 1) {
        const { data }: Json = await platform.ask(reader(person), list, { first: 2, sort, after, filter: {} });
        listedIds.push(...data.notifications.items.map((item: Json) => item.notificationId));
        after = data.notifications.nextCursor;
        if (after === null) break;
      }
      expect(listedIds).toEqual(order);
    }
  });
});

describe("Mutation.markNotificationRead", () => {
  it("marks a notification once, for its recipient", async () => {
    const { notificationId: id } = await inApp(ada);
    const first = await platform.ask(reader(ada), mark, { id });
    const again = await platform.ask(reader(ada), mark, { id });
    expect(first.data?.["markNotificationRead"]).toMatchObject({ status: "Read", readAt: expect.any(String) });
    expect(again.data).toEqual(first.data);
    const types = (await eventsAbout(`notifications/${id}`)).map(({ type }) => type);
    expect(types).toEqual(["NotificationRequested", "NotificationSent", "NotificationRead"]);
  });

  it("is open to a service, and to no other person", async () => {
    const { notificationId: id } = await inApp(ada);
    const sender = personWith(tenantId, grace, "notification.read", "notification.send");
    expect((await platform.ask(reader(grace), mark, { id })).refusal).toMatchObject({ code: "NOT_FOUND" });
    expect((await platform.ask(sender, mark, { id })).refusal).toMatchObject({ code: "NOT_THE_RECIPIENT" });
    expect((await platform.ask(service(), mark, { id })).data?.["markNotificationRead"].status).toBe("Read");
    expect((await platform.ask(service(), mark, { id: newId("ntf") })).refusal).toMatchObject({ code: "NOT_FOUND" });
  });

  it("is refused for a notification that did not arrive", async () => {
    const { notificationId: id } = await inApp(ada);
    await platform.admin.query("update notifications set status = 'Failed' where notification_id = $1", [
      decodeId("ntf", id),
    ]);
    expect((await platform.ask(reader(ada), mark, { id })).refusal).toMatchObject({
      ...{ code: "INVALID_STATE", currentState: "Failed", allowed: ["Sent", "Delivered"] },
    });
  });
});

describe("Mutation.markNotificationsRead", () => {
  it("marks all in-app notifications of a person, with one event", async () => {
    const person = (await aUser(platform, tenantId, [])).userId;
    for (let count = 0; count < 3; count += 1) await inApp(person);
    const other = (await inApp(ada)).notificationId;
    const { data } = await platform.ask(reader(person), markAll);
    expect(data?.["markNotificationsRead"]).toEqual({ recipientUserId: person, marked: 3, hasMore: false });
    expect((await platform.ask(reader(person), markAll)).data?.["markNotificationsRead"].marked).toBe(0);
    expect((await eventsAbout(`users/${person}`)).map(({ type, data: facts }) => [type, facts["count"]])).toEqual([
      ["NotificationRead", 3],
    ]);
    expect((await notificationNow(platform, tenantId, other)).status).toBe("Sent");
  });

  it("needs the name of a user from a service, and takes none of another person", async () => {
    const person = (await aUser(platform, tenantId, [])).userId;
    await inApp(person);
    expect((await platform.ask(service(), markAll)).refusal).toMatchObject({ code: "VALIDATION_FAILED" });
    const input = { recipientUserId: person };
    expect((await platform.ask(reader(ada), markAll, { input })).refusal).toMatchObject({ code: "NOT_THE_RECIPIENT" });
    expect((await platform.ask(service(), markAll, { input })).data?.["markNotificationsRead"].marked).toBe(1);
  });
});
