import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { aUser } from "../../../people/users/user.fixture.js";
import { principal, RunningSpine, until } from "../../../running-spine.fixture.js";
import { notificationNow, sendDocument, sent } from "../notification.fixture.js";
import type { Delivery, QueuedNotification } from "./channel-driver.js";
import { ChannelDrivers } from "./channel-drivers.js";
import { notificationOfHandle, settleNotification } from "./settle-notification.js";

let platform: RunningSpine;
let database: Database;
let tenantId: string;
let deliver: (delivery: Delivery) => Promise<unknown>;
const deliveredNotifications: QueuedNotification[] = [];

beforeAll(async () => {
  platform = await RunningSpine.start();
  database = await platform.openDatabase();
  tenantId = await platform.activeTenant("acme");
});
afterAll(async () => {
  await database?.close();
  await platform?.stop();
});

const email = "Ada@people.example";
const input = { channel: "Email", recipient: { email }, title: "News", body: "Hello." };

const statusOf = async (id: string) => (await notificationNow(platform, tenantId, id)).status;
const becomes = (id: string, status: string) => until(async () => (await statusOf(id)) === status);
const typesOf = async (id: string) =>
  (await platform.eventsOf(tenantId))
    .filter(({ subject }) => subject === `notifications/${id}`)
    .map(({ type }) => type);

/** Runs the work as a bus consumer does. */
const inTransaction = <T>(work: Parameters<typeof database.transaction<T>>[2]) =>
  database.transaction(tenantWithId(tenantId), { trace: continueTrace(undefined), actorId: "system" }, work);

it("a channel without a driver is refused by name", () => {
  expect(() => new ChannelDrivers().require("Email")).toThrow(
    expect.objectContaining({ code: "NOT_SUPPORTED", facts: expect.objectContaining({ errors: [expect.anything()] }) }),
  );
});

describe("a channel with a driver", () => {
  beforeAll(() => {
    platform.spine.get(ChannelDrivers).register("Email", {
      check: async (_tenant, recipients) =>
        recipients.flatMap((recipient, at) =>
          recipient.email?.endsWith("@refused.example")
            ? [{ at, pointer: "/email", code: "REFUSED", detail: "This address is refused." }]
            : [],
        ),
      deliver: async (delivery) => {
        deliveredNotifications.push(delivery.notification);
        await deliver(delivery);
      },
    });
  });

  it("gets each notification with its content, and its outcome is stored with the event", async () => {
    deliver = (delivery) => delivery.settle({ status: "Sent" });
    const { notificationId, messageId, status } = await sent(platform, tenantId, input);
    expect(status).toBe("Queued");
    await becomes(notificationId, "Sent");
    expect(deliveredNotifications.at(-1)).toMatchObject({
      ...{ notificationId, messageId, channel: "Email", title: "News", body: "Hello.", category: "general" },
      recipient: { userId: null, email, phone: null, subscriptionId: null },
    });
    expect(await typesOf(notificationId)).toEqual(["NotificationRequested", "NotificationSent"]);
  });

  it("gets the present address of a user, and no notification to an inactive one", async () => {
    deliver = (delivery) => delivery.settle({ status: "Delivered" });
    const user = await aUser(platform, tenantId, []);
    const recipient = { userId: user.userId };
    const { notificationId } = await sent(platform, tenantId, { ...input, recipient });
    await becomes(notificationId, "Delivered");
    expect(deliveredNotifications.at(-1)?.recipient).toMatchObject({ userId: user.userId, email: user.email });
    expect(await typesOf(notificationId)).toEqual([
      "NotificationRequested",
      "NotificationSent",
      "NotificationDelivered",
    ]);
    deliver = (delivery) => delivery.postpone(new Date(Date.now() + 1500));
    const later = await sent(platform, tenantId, { ...input, recipient });
    await until(async () => deliveredNotifications.at(-1)?.notificationId === later.notificationId);
    await platform.admin.query("update users set status = 'Disabled' where user_id = $1", [
      decodeId("usr", user.userId),
    ]);
    await becomes(later.notificationId, "Failed");
    expect(await notificationNow(platform, tenantId, later.notificationId)).toMatchObject({
      failureReason: "RECIPIENT_INACTIVE",
    });
  });

  it("gets no notification to the address of a deleted user", async () => {
    deliver = (delivery) => delivery.settle({ status: "Sent" });
    await platform.admin.query("insert into notification_erasures values ($1, $2, $3, now() + interval '1 minute')", [
      ...[decodeId("ten", tenantId), decodeId("usr", newId("usr")), "gone@people.example"],
    ]);
    const recipient = { email: "Gone@people.example" };
    const { notificationId } = await sent(platform, tenantId, { ...input, recipient });
    await becomes(notificationId, "Failed");
    expect(await notificationNow(platform, tenantId, notificationId)).toMatchObject({
      failureReason: "RECIPIENT_INACTIVE",
    });
  });

  it("gets nothing of a suspended tenant, whose notifications wait, and none of an archived one", async () => {
    const quiet = await platform.activeTenant("quiet");
    const moveTenant = (status: string) =>
      platform.admin.query("update tenants set status = $2 where tenant_id = $1", [decodeId("ten", quiet), status]);
    deliver = (delivery) => delivery.postpone(new Date(Date.now() + 500));
    const { notificationId } = await sent(platform, quiet, input);
    await until(async () => deliveredNotifications.at(-1)?.notificationId === notificationId);
    await moveTenant("Suspended");
    const minutes = async () => {
      const { rows } = await platform.admin.query<{ minutes: number }>(
        "select round(extract(epoch from due_at - now()) / 60)::int as minutes from notifications where notification_id = $1",
        [decodeId("ntf", notificationId)],
      );
      return rows[0]?.minutes;
    };
    await until(async () => (await minutes()) === 15);
    const ofQuiet = deliveredNotifications.filter(({ tenant }) => tenant.tenantId === quiet);
    const now = async () => (await notificationNow(platform, quiet, notificationId)) as { status: string };
    expect((await now()).status).toBe("Queued");
    await moveTenant("Archived");
    await platform.admin.query("update notifications set due_at = now() where notification_id = $1", [
      decodeId("ntf", notificationId),
    ]);
    await platform.admin.query("update spine_jobs.job set start_after = now() where singleton_key = $1", [
      notificationId,
    ]);
    await until(async () => (await now()).status === "Failed");
    expect(await now()).toMatchObject({ failureReason: "TENANT_ARCHIVED" });
    expect(deliveredNotifications.filter(({ tenant }) => tenant.tenantId === quiet)).toEqual(ofQuiet);
  });

  it("may go on in the queue for mails, and the former job finds nothing when it comes again", async () => {
    const lanes: string[] = [];
    deliver = async (delivery) => {
      lanes.push(delivery.lane);
      if (delivery.lane === "Common") {
        await delivery.continueIn("Mail");
        throw new Error("The process dies before the job has ended");
      }
      return lanes.length > 2 ? delivery.settle({ status: "Sent" }) : delivery.postpone(new Date(Date.now() + 1500));
    };
    const { notificationId } = await sent(platform, tenantId, input);
    const again =
      "update spine_jobs.job set start_after = now() where state = 'retry' and singleton_key = $1 returning id";
    await until(async () => (await platform.admin.query(again, [notificationId])).rows.length > 0);
    await becomes(notificationId, "Sent");
    const jobStates = "select name, state::text from spine_jobs.job where singleton_key = $1 order by created_on";
    const jobs = async () =>
      (await platform.admin.query(jobStates, [notificationId])).rows.map(({ name, state }) => `${name} ${state}`);
    const expectedJobs = ["deliver-notification completed", "deliver-mail completed", "deliver-mail completed"];
    await until(async () => (await jobs()).join() === expectedJobs.join());
    expect(lanes).toEqual(["Common", "Mail", "Mail"]);
  });

  it("gets a postponed notification again at its time", async () => {
    let calls = 0;
    deliver = (delivery) =>
      (calls += 1) === 1 ? delivery.postpone(new Date(Date.now() + 1000)) : delivery.settle({ status: "Sent" });
    const { notificationId } = await sent(platform, tenantId, input);
    await becomes(notificationId, "Sent");
    expect(calls).toBe(2);
  });

  it("leaves a notification to a later answer, which finds it by its handle and counts once", async () => {
    const handle = newId("cmd");
    deliver = (delivery) => delivery.handOver(new Date(Date.now() + 60_000), async () => handle);
    const { notificationId } = await sent(platform, tenantId, input);
    await until(
      async () => (await inTransaction((transaction) => notificationOfHandle(transaction, handle))) === notificationId,
    );
    expect(await statusOf(notificationId)).toBe("Queued");
    const settle = (outcome: Parameters<typeof settleNotification>[2]) =>
      inTransaction((transaction) => settleNotification(transaction, notificationId, outcome));
    expect([await settle({ status: "Sent" }), await settle({ status: "Sent" })]).toEqual([true, false]);
    expect([await settle({ status: "Delivered" }), await settle({ status: "Failed", reason: "Late" })]).toEqual([
      true,
      false,
    ]);
    expect(await typesOf(notificationId)).toEqual([
      "NotificationRequested",
      "NotificationSent",
      "NotificationDelivered",
    ]);
  });

  it("may report after the sending that a notification did not arrive", async () => {
    deliver = (delivery) => delivery.settle({ status: "Sent" });
    const { notificationId } = await sent(platform, tenantId, input);
    await becomes(notificationId, "Sent");
    const bounce = { status: "Failed", reason: "BOUNCED" } as const;
    expect(await inTransaction((transaction) => settleNotification(transaction, notificationId, bounce))).toBe(true);
    expect(await notificationNow(platform, tenantId, notificationId)).toMatchObject({
      ...{ status: "Failed", failureReason: "BOUNCED", sentAt: expect.any(String) },
    });
  });

  it("writes nothing of an attempt whose further work fails", async () => {
    let calls = 0;
    deliver = (delivery) =>
      delivery.settle({ status: "Sent" }, async ({ execute, tenant }) => {
        calls += 1;
        await execute("update notification_messages set title = 'Changed' where tenant_id = $1", [tenant.uuid]);
        throw new Error("The further work fails");
      });
    const { notificationId } = await sent(platform, tenantId, input);
    await until(async () => calls > 0);
    expect(await notificationNow(platform, tenantId, notificationId)).toMatchObject({
      status: "Queued",
      title: "News",
    });
    deliver = (delivery) => delivery.settle({ status: "Sent" });
    const retry =
      "update spine_jobs.job set start_after = now() where state = 'retry' and singleton_key = $1 returning id";
    await until(async () => (await platform.admin.query(retry, [notificationId])).rows.length > 0);
    await becomes(notificationId, "Sent");
  });

  it("is refused while 10,000 notifications of the tenant wait", async () => {
    const busy = await platform.activeTenant("busy");
    await platform.admin.query(
      `insert into notifications (tenant_id, notification_id, message_id, channel, status, due_at, created_at)
       select $1, uuidv7(), uuidv7(), 'Email', 'Queued', now() + interval '1 hour', now() from generate_series(1, 10000)`,
      [decodeId("ten", busy)],
    );
    const { refusal } = await platform.ask(principal(busy, ["notification.send"]), sendDocument, { input });
    expect(refusal).toMatchObject({ code: "RATE_LIMITED", retryAfterSeconds: 60 });
  });

  it("refuses recipients before anything is stored", async () => {
    const refusedInput = { ...input, recipient: { email: "eve@refused.example" } };
    const { refusal } = await platform.ask(principal(tenantId, ["notification.send"]), sendDocument, {
      input: refusedInput,
    });
    expect(refusal).toMatchObject({
      code: "REFERENCE_NOT_FOUND",
      errors: [{ pointer: "/input/recipient/email", code: "REFUSED" }],
    });
  });
});
