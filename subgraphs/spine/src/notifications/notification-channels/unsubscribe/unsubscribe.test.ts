import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { tenantScopes } from "@factory/schema/scopes";
import { aUser } from "../../../people/users/user.fixture.js";
import { principal } from "../../../running-spine.fixture.js";
import { ChannelTest } from "../channel-test.fixture.js";

let test: ChannelTest;
let tenantId: string;

beforeAll(async () => {
  test = await ChannelTest.start();
  tenantId = await test.spine.activeTenant("unsubscribing");
});
afterAll(() => test?.stop());

const mailTo = (recipient: object, more: object = {}) => ({
  channel: "Email",
  recipient,
  title: "Hi",
  body: "x",
  ...more,
});
const mailsFor = (notificationId: string) =>
  test.mails.received.filter(({ messageId }) => messageId === `${notificationId}@factory.example`);

describe("the link that unsubscribes", () => {
  const oneClick = { "List-Unsubscribe": "One-Click" };

  async function linkOf(email: string, category: string): Promise<string> {
    const id = await test.notify(tenantId, mailTo({ email }, { category }));
    await test.becomes(id, "Sent");
    const link = /^List-Unsubscribe:\s+<http:\/\/127\.0\.0\.1:4000([^>]+)>/m.exec(mailsFor(id)[0]?.text ?? "")?.[1];
    return `${test.url}${link}`;
  }

  const outcome = async (email: string, category: string) => {
    const id = await test.notify(tenantId, mailTo({ email }, { category }));
    for (let state = "Queued"; ; state = (await test.row(id)).status)
      if (state !== "Queued") return { state, reason: (await test.row(id)).failure_reason };
      else await new Promise((resolve) => setTimeout(resolve, 20));
  };

  it("shows a page and changes nothing", async () => {
    const link = await linkOf("eve@people.example", "news");
    const page = await (await fetch(link)).text();
    expect(page).toContain("<strong>eve@people.example</strong>");
    expect(page).not.toContain("<script");
    expect(await outcome("eve@people.example", "news")).toEqual({ state: "Sent", reason: null });
  });

  it.each([
    ["urlencoded", () => new URLSearchParams(oneClick)],
    [
      "as multipart/form-data",
      () => {
        const form = new FormData();
        form.set("List-Unsubscribe", "One-Click");
        return form;
      },
    ],
  ])("ends the mails of one category by one POST %s, and a second one changes nothing", async (name, body) => {
    const email = `${name.slice(0, 3)}@people.example`.replace(" ", "");
    const link = await linkOf(email, "news");
    for (let posts = 0; posts < 2; posts += 1) {
      const answer = await fetch(link, { method: "POST", body: body(), redirect: "error" });
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("You are unsubscribed")]);
    }
    expect(await outcome(email.toUpperCase(), "news")).toEqual({ state: "Failed", reason: "UNSUBSCRIBED" });
    expect(await outcome(email, "orders")).toEqual({ state: "Sent", reason: null });
  });

  it("switches the category off for a user, who can switch it on again", async () => {
    const { userId, email } = await aUser(test.spine, tenantId, [], "hal@people.example");
    const mail = (category: string) => test.notify(tenantId, mailTo({ userId }, { category }));
    const id = await mail("news");
    await test.becomes(id, "Sent");
    expect(mailsFor(id)[0]?.to).toEqual([email]);
    const link = /^List-Unsubscribe:\s+<http:\/\/127\.0\.0\.1:4000([^>]+)>/m.exec(mailsFor(id)[0]?.text ?? "")?.[1];
    const answer = await fetch(`${test.url}${link}`, { method: "POST", body: new URLSearchParams(oneClick) });
    expect(answer.status).toBe(200);
    expect(await test.becomes(await mail("news"), "Failed")).toBe("SWITCHED_OFF");
    await test.becomes(await mail("orders"), "Sent");
    const { data } = await test.spine.ask(
      principal(tenantId, tenantScopes),
      "query ($id: ID!) { notificationPreferences(recipientUserId: $id) { preferences { channel category enabled } } }",
      { id: userId },
    );
    expect(data?.["notificationPreferences"].preferences).toEqual([
      { channel: "Email", category: "news", enabled: false },
    ]);
  });

  it("holds for the address of a user in both forms, until the user switches the category on", async () => {
    const link = await linkOf("joe@people.example", "news");
    const { userId, email } = await aUser(test.spine, tenantId, [], "Joe@people.example");
    const failureOf = async (recipient: object, category: string) =>
      test.becomes(await test.notify(tenantId, mailTo(recipient, { category })), "Failed");
    const preferences = async (isEnabled: boolean, category: string) => {
      const { errors } = await test.spine.ask(
        principal(tenantId, tenantScopes),
        "mutation ($input: SetNotificationPreferencesInput!) { setNotificationPreferences(input: $input) { recipientUserId } }",
        { input: { recipientUserId: userId, preferences: [{ channel: "Email", category, enabled: isEnabled }] } },
      );
      expect(errors).toEqual([]);
    };
    await preferences(false, "offers");
    expect(await failureOf({ email }, "offers")).toBe("UNSUBSCRIBED");
    const becomesSent = async (recipient: object, category: string) =>
      test.becomes(await test.notify(tenantId, mailTo(recipient, { category })), "Sent");
    await becomesSent({ email }, "orders");
    expect((await fetch(link, { method: "POST", body: new URLSearchParams(oneClick) })).status).toBe(200);
    expect(await failureOf({ email }, "news")).toBe("UNSUBSCRIBED");
    expect(await failureOf({ userId }, "news")).toBe("SWITCHED_OFF");
    await test.spine.admin.query("delete from notification_preferences where user_id = $1", [decodeId("usr", userId)]);
    expect(await failureOf({ userId }, "news")).toBe("UNSUBSCRIBED");
    await becomesSent({ userId }, "security");
    await preferences(true, "news");
    for (const recipient of [{ userId }, { email }]) await becomesSent(recipient, "news");
    expect((await fetch(link, { method: "POST", body: new URLSearchParams(oneClick) })).status).toBe(200);
    for (const recipient of [{ userId }, { email }]) await failureOf(recipient, "news");
  });

  it("is the button of the page", async () => {
    const link = await linkOf("gil@people.example", "news");
    const page = await (await fetch(link)).text();
    const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? "";
    const body = new URLSearchParams({ token, ...oneClick });
    expect((await fetch(`${test.url}/connect/unsubscribe`, { method: "POST", body })).status).toBe(200);
    expect((await outcome("gil@people.example", "news")).reason).toBe("UNSUBSCRIBED");
  });

  it("is refused with another form, another token and too many wrong tokens", async () => {
    const link = await linkOf("dan@people.example", "news");
    const post = (url: string, body: RequestInit["body"], headers: Record<string, string> = {}) =>
      fetch(url, { method: "POST", ...(body == null ? {} : { body }), headers }).then(({ status }) => status);
    expect(await post(link, new URLSearchParams({ "List-Unsubscribe": "No" }))).toBe(400);
    expect(await post(link, JSON.stringify(oneClick), { "content-type": "application/json" })).toBe(400);
    expect(await post(link, "x", { "content-type": "multipart/form-data; boundary=x" })).toBe(400);
    expect(await post(link, new URLSearchParams({ ...oneClick, a: "x".repeat(20_000) }))).toBe(400);
    expect((await outcome("dan@people.example", "news")).state).toBe("Sent");
    const wrong = () => post(`${link}x`, new URLSearchParams(oneClick));
    const statuses: number[] = [];
    for (let tries = 0; tries < 61; tries += 1) statuses.push(await wrong());
    expect([statuses[0], statuses.at(-1)]).toEqual([404, 429]);
  });

  it("is absent from mails about the security of an account", async () => {
    const { userId } = await aUser(test.spine, tenantId, [], "ida@people.example");
    const id = await test.notify(tenantId, mailTo({ userId }, { category: "security" }));
    await test.becomes(id, "Sent");
    expect(mailsFor(id)[0]?.text).not.toContain("unsubscribe");
  });
});
