import { decodeId, encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { aUser, type TestUser } from "../../../people/users/user.fixture.js";
import { type Json, principal, RunningSpine, until } from "../../../running-spine.fixture.js";
import { notificationFields, notificationNow, sent } from "../notification.fixture.js";

const pageSize = 3;

let platform: RunningSpine;
let tenantId: string;
let ada: TestUser;
let person: TestUser;

beforeAll(async () => {
  platform = await RunningSpine.start({ notificationsErasedAtOnce: pageSize });
  tenantId = await platform.activeTenant("acme");
  ada = await aUser(platform, tenantId, []);
});
afterAll(() => platform?.stop());
beforeEach(async () => {
  person = await aUser(platform, tenantId, []);
});

const service = () => principal(tenantId, ["notification.read", "notification.send"]);
const inApp = (body: string, ...recipients: TestUser[]) =>
  sent(platform, tenantId, { channel: "InApp", recipients: recipients.map(({ userId }) => ({ userId })), body });

async function deleteUser({ userId }: TestUser): Promise<void> {
  const { errors } = await platform.ask(
    principal(tenantId, ["user.invite"]),
    "mutation ($id: ID!) { deleteUser(userId: $id) { status } }",
    { id: userId },
  );
  expect(errors).toEqual([]);
}

/** A mail to the address without the user id, which was sent. */
async function mailTo({ email }: TestUser, createdAt = new Date()): Promise<string> {
  const { messageId } = await inApp("Mailed words.", ada);
  const notificationId = newId("ntf");
  await platform.admin.query(
    `insert into notifications (tenant_id, notification_id, message_id, channel, recipient_email, recipient_email_key,
       status, created_at)
     values ($1, $2, $3, 'Email', $4, lower($4), 'Sent', $5)`,
    [decodeId("ten", tenantId), decodeId("ntf", notificationId), decodeId("ntm", messageId), email, createdAt],
  );
  return notificationId;
}

/** How many notifications to the person, and contents with a text, there are. */
async function left({ userId, email }: TestUser, text = ""): Promise<{ rows: number; contents: number }> {
  const { rows } = await platform.admin.query(
    `select (select count(*)::int from notifications where recipient_user_id = $1 or recipient_email = $2) as rows,
       (select count(*)::int from notification_messages where body = $3) as contents`,
    [decodeId("usr", userId), email, text],
  );
  return rows[0];
}

const erasuresOf = async ({ userId }: TestUser) =>
  (await platform.admin.query("select from notification_erasures where user_id = $1", [decodeId("usr", userId)]))
    .rowCount;

/** Moves all times for erasures and mails back, and lets the jobs that wait for their time run. */
async function passMinutes(minutes: number): Promise<void> {
  for (const [table, column] of [
    ["notification_erasures", "requested_at"],
    ["notifications", "created_at"],
  ])
    await platform.admin.query(`update ${table} set ${column} = ${column} - $1 * interval '1 minute'`, [minutes]);
  await platform.admin.query(
    "update spine_jobs.job set start_after = now() where name = 'erase-notifications' and state = 'created'",
  );
}

/** Holds the notifications to the person, so that no job can delete them, until the returned function is called. */
async function held({ userId, email }: TestUser): Promise<() => Promise<void>> {
  const client = await platform.admin.connect();
  await client.query("begin");
  await client.query("select from notifications where recipient_user_id = $1 or recipient_email = $2 for update", [
    decodeId("usr", userId),
    email,
  ]);
  return async () => {
    await client.query("commit");
    client.release();
  };
}

describe("the notifications of a deleted user", () => {
  it("are hidden by a deletion that touches none of them, and deleted page by page", async () => {
    const ownNotification = await inApp("Private words.", person);
    for (let count = 0; count < 3 * pageSize; count += 1) await inApp("Private words.", person);
    const sharedNotification = await inApp("Shared words.", person, ada);
    const mailedId = await mailTo(person);
    const release = await held(person);
    await deleteUser(person);
    expect(await notificationNow(platform, tenantId, ownNotification.notificationId)).toMatchObject({
      ...{ title: null, body: null, recipient: { userId: person.userId } },
    });
    expect((await notificationNow(platform, tenantId, mailedId)).recipient.email).toBeNull();
    const list = `{ notifications(first: 200) { items { ${notificationFields} } } }`;
    const { data } = await platform.ask(service(), list);
    const items: Json[] = data?.["notifications"].items;
    expect(items.filter(({ recipient }) => recipient.userId === person.userId).map(({ body }) => body)).toEqual(
      Array.from({ length: 3 * pageSize + 2 }, () => null),
    );
    expect((await left(person)).rows).toBe(3 * pageSize + 3);
    await release();
    await until(async () => (await left(person)).rows === 0);
    expect(await left(person, "Private words.")).toEqual({ rows: 0, contents: 0 });
    expect((await notificationNow(platform, tenantId, sharedNotification.notificationIds[1] ?? "")).body).toBe(
      "Shared words.",
    );
    const { rows } = await platform.admin.query(
      "select count(*)::int as jobs from spine_jobs.job where name = 'erase-notifications' and singleton_key = $1",
      [person.userId],
    );
    expect(rows[0].jobs).toBeGreaterThanOrEqual(4);
  });

  it("take their content with the last recipient of it", async () => {
    await inApp("Words for two.", person, ada);
    const other = await aUser(platform, tenantId, []);
    await inApp("Words for two more.", person, other);
    for (const user of [person, other]) {
      await deleteUser(user);
      await until(async () => (await left(user)).rows === 0);
    }
    expect((await left(person, "Words for two.")).contents).toBe(1);
    expect((await left(person, "Words for two more.")).contents).toBe(0);
  });

  it("are searched once more for those that were under way, but not for later ones to the address", async () => {
    const before = new Date();
    await deleteUser(person);
    await until(async () => (await left(person)).rows === 0);
    await mailTo(person, before);
    const later = await mailTo(person);
    expect(await erasuresOf(person)).toBe(1);
    await passMinutes(2);
    await until(async () => (await erasuresOf(person)) === 0);
    const { rows } = await platform.admin.query(
      "select notification_id from notifications where recipient_email = $1",
      [person.email],
    );
    expect(rows.map((row) => encodeId("ntf", row["notification_id"]))).toEqual([later]);
  });

  it("leave the answers that are kept for repeated requests", async () => {
    const mark = `mutation ($id: ID!) { markNotificationRead(notificationId: $id) { ${notificationFields} } }`;
    const [ownId, mailedId, ofAda] = [
      (await inApp("Secret words.", person)).notificationId,
      await mailTo(person),
      (await inApp("Kept words.", ada)).notificationId,
    ];
    const markRead = (id: string) => platform.ask(service(), mark, { id }, `read-${id}`);
    for (const id of [ownId, mailedId, ofAda]) expect((await markRead(id)).errors).toEqual([]);
    await deleteUser(person);
    const { rows } = await platform.admin.query("select result::text as result from idempotency_records");
    const storedResults = rows.map(({ result }) => String(result)).join("\n");
    for (const text of ["Secret words.", "Mailed words.", person.email]) expect(storedResults).not.toContain(text);
    const again = await markRead(ownId);
    expect([again.replayed, again.data?.["markNotificationRead"]]).toEqual([
      true,
      expect.objectContaining({ notificationId: ownId, status: "Read", title: null, body: null }),
    ]);
    expect((await markRead(ofAda)).data?.["markNotificationRead"].body).toBe("Kept words.");
  });
});
