import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { tenantScopes } from "@factory/schema/scopes";
import { aUser } from "../../people/users/user.fixture.js";
import { principal, until } from "../../running-spine.fixture.js";
import { ChannelTest } from "./channel-test.fixture.js";
import { readMail } from "./email/read-mail.fixture.js";

let test: ChannelTest;
let tenantId: string;

beforeAll(async () => {
  test = await ChannelTest.start();
  tenantId = await test.spine.activeTenant("digests");
});
afterAll(() => test?.stop());

let people = 0;
const someone = () => ({ email: `person-${(people += 1)}@people.example` });
const textOf = (text = "") => text.replaceAll("=\r\n", "").replaceAll("=3D", "=");
const mailsTo = ({ email }: { email: string }) => test.mails.received.filter(({ to }) => to.includes(email));

describe("a digest", () => {
  /** Its window is longer than a test: the test ends it. */
  const digest = { key: "orders", windowSeconds: 3600 };
  const aMail = (recipient: object, title: string, more: object = {}) =>
    test.notify(tenantId, { channel: "Email", recipient, title, body: `About ${title}.`, digest, ...more });

  it("is one mail for many notifications of a window, and all of them become Sent", async () => {
    const ada = someone();
    const ids: string[] = [];
    for (const title of ["one", "two <b>", "three"]) ids.push(await aMail(ada, title));
    await test.closeWindow(ids);
    for (const id of ids) await test.becomes(id, "Sent");
    const [mail, ...more] = mailsTo(ada);
    expect(more).toEqual([]);
    expect(mail?.messageId).toMatch(/^ndg_\w+@factory\.example$/);
    expect(textOf(mail?.text)).toContain("Subject: 3 notifications");
    for (const text of ["one: About one.", "two <b>: About two <b>.", "two &lt;b&gt;: About", "three: About three."])
      expect(textOf(mail?.text)).toContain(text);
    for (const id of ids)
      expect(await test.events(tenantId, id)).toEqual(["NotificationRequested", "NotificationSent"]);
  });

  it("is apart from those of other keys and other recipients, and a single notification is sent as it is", async () => {
    const [ada, bob] = [someone(), someone()];
    const ids = [
      await aMail(ada, "one"),
      await aMail(ada, "two", { digest: { ...digest, key: "invoices" } }),
      await aMail(bob, "three"),
      await aMail(ada, "four", { digest: null }),
    ];
    await test.closeWindow(ids.slice(0, 3));
    for (const id of ids) await test.becomes(id, "Sent");
    const subjects = (person: { email: string }) =>
      mailsTo(person).map(({ text }) => /^Subject: (.*)\r$/m.exec(text)?.[1] ?? "");
    expect(subjects(ada).sort()).toEqual(["four", "one", "two"]);
    expect(subjects(bob)).toEqual(["three"]);
  });

  it("is apart for each category, and for a person and the same address", async () => {
    const { userId, email } = await aUser(test.spine, tenantId, [], "kim@people.example");
    const ids = [
      await aMail({ userId }, "one"),
      await aMail({ userId }, "two", { category: "security" }),
      await aMail({ email }, "three"),
      await aMail({ userId }, "four"),
    ];
    await test.closeWindow(ids);
    for (const id of ids) await test.becomes(id, "Sent");
    const subjects = mailsTo({ email }).map(({ text }) => /^Subject: (.*)\r$/m.exec(text)?.[1] ?? "");
    expect(subjects.sort()).toEqual(["2 notifications", "three", "two"]);
  });

  it.each([
    [
      "a person who switches the category off",
      "SWITCHED_OFF",
      (userId: string) =>
        test.spine.admin.query(
          `insert into notification_preferences (tenant_id, user_id, channel, category, enabled, updated_at)
           values ($1, $2, 'Email', 'news', false, now())`,
          [decodeId("ten", tenantId), decodeId("usr", userId)],
        ),
    ],
    [
      "a person who is disabled",
      "RECIPIENT_INACTIVE",
      (userId: string) =>
        test.spine.admin.query("update users set status = 'Disabled' where user_id = $1", [decodeId("usr", userId)]),
    ],
  ])("is not sent to %s during its window", async (_, reason, change) => {
    const { userId, email } = await aUser(test.spine, tenantId, [], someone().email);
    const news = { category: "news", digest: { ...digest, key: "news" } };
    const ids = [await aMail({ userId }, "one", news), await aMail({ userId }, "two", news)];
    await test.joined(ids);
    await change(userId);
    await test.closeWindow(ids);
    for (const id of ids) expect(await test.becomes(id, "Failed")).toBe(reason);
    expect(mailsTo({ email })).toEqual([]);
  });

  it("begins anew after its window", async () => {
    const ada = someone();
    const short = { digest: { ...digest, windowSeconds: 1 } };
    await test.becomes(await aMail(ada, "one", short), "Sent");
    await test.becomes(await aMail(ada, "two", short), "Sent");
    expect(new Set(mailsTo(ada).map(({ messageId }) => messageId)).size).toBe(2);
  });

  it("is tried again with the same Message-ID and the same content", async () => {
    const ada = someone();
    const ids = [await aMail(ada, "one"), await aMail(ada, "two")];
    test.mails.behave("leaves");
    await test.closeWindow(ids);
    for (const id of ids) await test.becomes(id, "Sent");
    const [mail] = mailsTo(ada);
    expect(test.mails.seen.filter((messageId) => messageId === mail?.messageId)).toHaveLength(2);
  });

  it("fails as a whole where its recipient is refused", async () => {
    const ada = someone();
    const ids = [await aMail(ada, "one"), await aMail(ada, "two")];
    test.mails.behave({ reply: 550 });
    await test.closeWindow(ids);
    for (const id of ids) expect(await test.becomes(id, "Failed")).toContain("550");
  });

  it("goes through a connection of the tenant, whose answer counts for all", async () => {
    test.connected.add(tenantId);
    const ada = someone();
    const ids = [await aMail(ada, "one"), await aMail(ada, "two")];
    await test.closeWindow(ids);
    const { id: commandId, data } = await test.command(ids[0] ?? "");
    expect(data["subject"]).toBe("2 notifications");
    await test.answer(tenantId, "EmailDelivered", { commandId });
    for (const id of ids) await test.becomes(id, "Delivered");
    test.connected.clear();
  });

  it("fails as a whole where nobody answers its command, and is not sent by another way", async () => {
    test.connected.add(tenantId);
    const ada = someone();
    const ids = [await aMail(ada, "one"), await aMail(ada, "two")];
    const [first = ""] = ids;
    await test.closeWindow(ids);
    await test.command(first);
    test.connected.clear();
    await test.hasten(first);
    await test.sendJob(tenantId, first);
    for (const id of ids) expect(await test.becomes(id, "Failed")).toBe("NO_ANSWER");
    expect(mailsTo(ada)).toEqual([]);
  });

  it("fails as a whole where the attempts of its first notification are used up", async () => {
    const ada = someone();
    const ids = [await aMail(ada, "one"), await aMail(ada, "two")];
    test.isBroken = true;
    const [first = ""] = ids;
    await test.closeWindow(ids);
    await until(async () => {
      await test.spine.admin.query(
        "update spine_jobs.job set start_after = now() where singleton_key = $1 and state = 'retry'",
        [first],
      );
      return (await test.row(first)).status === "Failed";
    });
    test.isBroken = false;
    for (const id of ids) expect(await test.becomes(id, "Failed")).toBe("DELIVERY_FAILED");
    expect(mailsTo(ada)).toEqual([]);
  });

  it("keeps the others until some time after the next attempt of the first", async () => {
    const ada = someone();
    const ids = [await aMail(ada, "one"), await aMail(ada, "two"), await aMail(ada, "three")];
    const [first = ""] = ids;
    test.connected.add(tenantId);
    await test.closeWindow(ids);
    await test.command(first);
    test.connected.clear();
    for (const id of ids.slice(1)) await test.hasten(id);
    const waits = async () => {
      const { rows } = await test.spine.admin.query<{ hours: number }>(
        `select round(extract(epoch from due_at - now()) / 3600)::int as hours from notifications
         where notification_id = any($1)`,
        [ids.map((id) => decodeId("ntf", id))],
      );
      return rows.map(({ hours }) => hours).join();
    };
    await until(async () => (await waits()) === "24,24,24");
  });

  it("lists the first of many, and counts the others", async () => {
    const ada = someone();
    const ids = await Promise.all(
      Array.from({ length: 25 }, (_, at) => aMail(ada, `n${at}`, { body: "y".repeat(1000) })),
    );
    await test.closeWindow(ids);
    for (const id of ids) await test.becomes(id, "Sent");
    const [mail, ...more] = mailsTo(ada);
    expect(more).toEqual([]);
    expect(textOf(mail?.text)).toContain("Subject: 25 notifications");
    expect(textOf(mail?.text)).toContain("And 5 more.");
    expect(readMail(mail?.text ?? "").parts["text/plain"]).toMatch(/^n\d+: y{299}…\r$/m);
  });

  it.each(["InApp", "Webhook"])("is refused in the channel %s", async (channel) => {
    const { refusal } = await test.ask(tenantId, { channel, recipient: { userId: "usr_x" }, body: "x", digest });
    expect(refusal).toMatchObject({ code: "VALIDATION_FAILED" });
    expect(refusal?.["errors"]).toContainEqual(expect.objectContaining({ pointer: "/input/digest" }));
  });
});

describe("the mails that a tenant sends by the mail server of the platform", () => {
  it("are limited, also to many recipients, and those by a connection are not", async () => {
    const sending = await test.spine.activeTenant("sending");
    await test.spine.admin.query(
      `insert into notification_slots (tenant_id, notification_id, limit_key, due_at)
       select $1, gen_random_uuid(), 'mail server of the platform', now() - interval '20 minutes'
       from generate_series(1, 199)`,
      [decodeId("ten", sending)],
    );
    const send = (more: object = {}) =>
      test.notify(sending, { channel: "Email", recipient: someone(), title: "Hi", body: "x", ...more });
    await test.becomes(await send(), "Sent");
    const waiting = await send();
    const minutes = async () => {
      const { rows } = await test.spine.admin.query<{ minutes: number }>(
        "select round(extract(epoch from due_at - created_at) / 60)::int as minutes from notifications where notification_id = $1",
        [decodeId("ntf", waiting)],
      );
      return rows[0]?.minutes;
    };
    await until(async () => (await minutes()) === 40);
    expect((await test.row(waiting)).status).toBe("Queued");
    test.connected.add(sending);
    expect((await test.command(await send())).type).toBe("SendEmail");
    test.connected.clear();
  });
});

describe("the messages that one recipient gets in an hour", () => {
  const set = async (of: string, value: object) => {
    const { errors } = await test.spine.ask(
      principal(of, tenantScopes),
      "mutation ($key: String!, $input: SetConfigurationInput!) { setConfigEntry(key: $key, input: $input) { key } }",
      { key: "notifications.perRecipientHour", input: { value } },
    );
    expect(errors).toEqual([]);
  };

  it.each([
    ["without a limit of the tenant", {}, "unlimited"],
    ["with a higher limit of the tenant", { Email: 1000 }, "eager"],
  ])("are at most 60 by the mail server of the platform, %s", async (_, value, slug) => {
    const eager = await test.spine.activeTenant(slug);
    await set(eager, value);
    const ada = someone();
    const send = () => test.notify(eager, { channel: "Email", recipient: ada, title: "Hi", body: "x" });
    await test.becomes(await send(), "Sent");
    await test.spine.admin.query(
      `insert into notification_slots (tenant_id, notification_id, limit_key, due_at)
       select tenant_id, gen_random_uuid(), limit_key, due_at from notification_slots, generate_series(1, 59)
       where tenant_id = $1 and limit_key not like 'mail server%'`,
      [decodeId("ten", eager)],
    );
    const waiting = await send();
    const minutes = async () => {
      const { rows } = await test.spine.admin.query<{ minutes: number }>(
        "select round(extract(epoch from due_at - now()) / 60)::int as minutes from notifications where notification_id = $1",
        [decodeId("ntf", waiting)],
      );
      return rows[0]?.minutes ?? 0;
    };
    await until(async () => (await minutes()) > 50);
    test.connected.add(eager);
    expect((await test.command(await send())).type).toBe("SendEmail");
    test.connected.clear();
  });

  it("are limited by a setting of the tenant, and further ones wait for their time", async () => {
    const limitedTenant = await test.spine.activeTenant("limited");
    await set(limitedTenant, { Email: 2 });
    const [ada, bob] = [someone(), someone()];
    const send = (recipient: object) =>
      test.notify(limitedTenant, { channel: "Email", recipient, title: "Hi", body: "x" });
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push(await send(ada));
    await test.becomes(await send(bob), "Sent");
    const dueAt = async () => {
      const { rows } = await test.spine.admin.query<{ status: string; hours: number | null }>(
        `select status, round(extract(epoch from due_at - created_at) / 3600)::int as hours from notifications
         where notification_id = any($1) order by due_at nulls first`,
        [ids.map((id) => decodeId("ntf", id))],
      );
      return rows.map(({ status, hours }) => `${status} ${hours ?? ""}`.trim());
    };
    const expectedStates = ["Sent", "Sent", "Queued 1", "Queued 1", "Queued 2"];
    for (let tries = 0; tries < 1200 && (await dueAt()).join() !== expectedStates.join(); tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await dueAt()).toEqual(expectedStates);
    expect(mailsTo(ada)).toHaveLength(2);
  });
});
