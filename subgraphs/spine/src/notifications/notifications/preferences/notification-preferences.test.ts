import { aUser } from "../../../people/users/user.fixture.js";
import { type Json, principal, RunningSpine, until } from "../../../running-spine.fixture.js";
import { ChannelDrivers } from "../delivery/channel-drivers.js";
import { notificationNow, personWith, sent } from "../notification.fixture.js";

let platform: RunningSpine;
let tenantId: string;

beforeAll(async () => {
  platform = await RunningSpine.start();
  tenantId = await platform.activeTenant("acme");
  const drivers = platform.spine.get(ChannelDrivers);
  drivers.register("Email", {
    deliver: async (delivery) => {
      await delivery.settle({ status: "Sent" });
    },
  });
});
afterAll(() => platform?.stop());

const fields = "recipientUserId preferences { channel category enabled } lockedCategories";
const set = `mutation ($input: SetNotificationPreferencesInput!) { setNotificationPreferences(input: $input) { ${fields} } }`;
const get = `query ($id: ID) { notificationPreferences(recipientUserId: $id) { ${fields} } }`;

const reader = (userId: string) => personWith(tenantId, userId, "notification.read");
const off = (channel: string, category: string) => ({ channel, category, enabled: false });
const on = (channel: string, category: string) => ({ channel, category, enabled: true });

async function aUserWith(...preferences: unknown[]): Promise<string> {
  const { userId } = await aUser(platform, tenantId, []);
  const { errors } = await platform.ask(reader(userId), set, { input: { preferences } });
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  return userId;
}

/** The outcome for a notification in the category to the user. */
async function outcome(userId: string, channel: string, category: string): Promise<string> {
  const input = { channel, category, recipient: { userId }, body: "Hello." };
  const { notificationId } = await sent(platform, tenantId, input);
  let now: Json;
  await until(async () => {
    now = await notificationNow(platform, tenantId, notificationId);
    return now.status !== "Queued";
  });
  return now.failureReason ?? now.status;
}

describe("Mutation.setNotificationPreferences", () => {
  it("replaces the preferences of the person of the token", async () => {
    const userId = await aUserWith(off("InApp", "news"), on("Email", "*"));
    const { data } = await platform.ask(reader(userId), get);
    expect(data?.["notificationPreferences"]).toEqual({
      recipientUserId: userId,
      preferences: [on("Email", "*"), off("InApp", "news")],
      lockedCategories: ["security"],
    });
    await platform.ask(reader(userId), set, { input: { preferences: [] } });
    expect((await platform.ask(reader(userId), get)).data?.["notificationPreferences"].preferences).toEqual([]);
  });

  it("is open to a service that names the user, and to no other person", async () => {
    const { userId } = await aUser(platform, tenantId, []);
    const other = (await aUser(platform, tenantId, [])).userId;
    const service = principal(tenantId, ["notification.read"]);
    const input = { recipientUserId: userId, preferences: [off("Sms", "*")] };
    expect((await platform.ask(service, set, { input })).errors).toEqual([]);
    expect((await platform.ask(service, get, { id: userId })).data?.["notificationPreferences"].preferences).toEqual([
      off("Sms", "*"),
    ]);
    expect((await platform.ask(service, get)).refusal).toMatchObject({ code: "VALIDATION_FAILED" });
    for (const [document, variables] of [
      [set, { input }],
      [get, { id: userId }],
    ] as const)
      expect((await platform.ask(reader(other), document, variables)).refusal).toMatchObject({
        code: "NOT_THE_RECIPIENT",
      });
    const elsewhere = await platform.activeTenant("elsewhere");
    const foreign = principal(elsewhere, ["notification.read"]);
    expect((await platform.ask(foreign, set, { input })).refusal).toMatchObject({ code: "REFERENCE_NOT_FOUND" });
    expect((await platform.ask(foreign, get, { id: userId })).data?.["notificationPreferences"].preferences).toEqual(
      [],
    );
  });

  it("refuses repetitions, and switching off the category security", async () => {
    const { userId } = await aUser(platform, tenantId, []);
    const refusalOf = async (...preferences: unknown[]) =>
      (await platform.ask(reader(userId), set, { input: { preferences } })).refusal?.["errors"].map(
        ({ pointer, code }: Json) => `${pointer} ${code}`,
      );
    expect(await refusalOf(off("Sms", "news"), on("Sms", "news"))).toEqual(["/input/preferences/1 DUPLICATE"]);
    expect(await refusalOf(off("Email", "security"))).toEqual(["/input/preferences/0/enabled NOT_ALLOWED"]);
  });

  it("is audited with the user as its subject", async () => {
    const userId = await aUserWith(off("InApp", "news"));
    const { rows } = await platform.admin.query(
      `select envelope->>'operation' as operation from outbox
       where envelope->>'messagekind' = 'audit' and envelope->>'subject' = $1`,
      [`users/${userId}`],
    );
    expect(rows).toEqual([{ operation: "setNotificationPreferences" }]);
  });
});

describe("a notification that its recipient has switched off", () => {
  it.each(["InApp", "Email"])(
    "is not sent over %s, by its category or by all categories of the channel",
    async (channel) => {
      const picky = await aUserWith(off(channel, "news"));
      expect(await outcome(picky, channel, "news")).toBe("SWITCHED_OFF");
      expect(await outcome(picky, channel, "billing")).toBe("Sent");
      const quiet = await aUserWith(off(channel, "*"), on(channel, "billing"));
      expect(await outcome(quiet, channel, "news")).toBe("SWITCHED_OFF");
      expect(await outcome(quiet, channel, "billing")).toBe("Sent");
      expect(await outcome(quiet, channel, "security")).toBe("Sent");
      expect(await outcome(quiet, channel === "InApp" ? "Email" : "InApp", "news")).toBe("Sent");
    },
  );

  it("leaves no trace in the inbox but tells the sender", async () => {
    const userId = await aUserWith(off("InApp", "*"));
    const input = { channel: "InApp", recipient: { userId }, body: "Hello." };
    const { notificationId, status } = await sent(platform, tenantId, input);
    expect(status).toBe("Failed");
    const list = "{ notifications { items { notificationId } } }";
    expect((await platform.ask(reader(userId), list)).data?.["notifications"].items).toEqual([]);
    const oneNotification = "query ($id: ID!) { notification(notificationId: $id) { status } }";
    expect((await platform.ask(reader(userId), oneNotification, { id: notificationId })).refusal).toMatchObject({
      code: "NOT_FOUND",
    });
    expect((await notificationNow(platform, tenantId, notificationId)).failureReason).toBe("SWITCHED_OFF");
    const events = (await platform.eventsOf(tenantId)).filter(
      ({ subject }) => subject === `notifications/${notificationId}`,
    );
    expect(events.map(({ type, data }) => [type, data["reason"]])).toEqual([
      ["NotificationRequested", undefined],
      ["NotificationFailed", "SWITCHED_OFF"],
    ]);
  });
});

it("the preferences of a deleted user are erased", async () => {
  const userId = await aUserWith(off("InApp", "news"));
  await platform.ask(
    principal(tenantId, ["user.invite"]),
    "mutation ($id: ID!) { deleteUser(userId: $id) { status } }",
    { id: userId },
  );
  const service = principal(tenantId, ["notification.read"]);
  expect((await platform.ask(service, get, { id: userId })).data?.["notificationPreferences"].preferences).toEqual([]);
});
