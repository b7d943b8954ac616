import { eventually } from "../kit/eventually.js";
import { aFeed, type Feed } from "../kit/feed.js";
import { aPerson, type Person } from "../kit/people.js";
import { refusal, refusedFields } from "../kit/refusal.js";
import { graphql, request } from "../kit/request.js";
import { aPasswordClient, signedIn } from "../kit/sign-ins.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

interface Sent {
  readonly notificationId: string;
  readonly notificationIds: readonly string[];
  readonly messageId: string;
  readonly status: string;
}

interface Notification {
  readonly notificationId: string;
  readonly status: string;
  readonly body: string;
  readonly recipient: { readonly userId: string };
}

interface Page {
  readonly items: readonly Notification[];
  readonly nextCursor: string | null;
}

let tenant: TestTenant;
let token: string;
let ada: Person;
let grace: Person;
/** Ada's own token, with a Viewer's scopes. */
let adasToken: string;

beforeAll(async () => {
  tenant = await aTenant();
  token = await tenant.tokenWith();
  [ada, grace] = [await aPerson(tenant, "Viewer"), await aPerson(tenant, "Viewer")];
  adasToken = (await signedIn(await aPasswordClient(tenant.tenantId), ada)).access_token;
});

async function sent(people: readonly Person[], body: string): Promise<Sent> {
  const recipients = people.map(({ userId }) => ({ userId }));
  const answer = await request<Sent>("POST /v1/notifications", { token, body: { channel: "InApp", recipients, body } });
  expect([answer.status, answer.headers.get("location")]).toEqual([
    202,
    `/v1/notifications/${answer.body.notificationId}`,
  ]);
  return answer.body;
}

const pageOf = async (query: string, by = token): Promise<Page> =>
  (await request<Page>(`GET /v1/notifications?${query}`, { token: by })).body;
const idsOf = async (query: string, by?: string) => (await pageOf(query, by)).items.map((item) => item.notificationId);

describe("POST /v1/notifications", () => {
  it("sends a notification to a person, who reads it", async () => {
    const { notificationId } = await sent([ada], "It has arrived.");
    const path = `/v1/notifications/${notificationId}`;
    const ownNotification = await request<Notification>(`GET ${path}`, { token: adasToken });
    expect(ownNotification.body).toMatchObject({
      body: "It has arrived.",
      status: "Sent",
      recipient: { userId: ada.userId },
    });
    expect((await request<Notification>(`POST ${path}/read`, { token: adasToken })).body.status).toBe("Read");
    const ofGrace = await sent([grace], "It is hers.");
    expect(refusal(await request(`GET /v1/notifications/${ofGrace.notificationId}`, { token: adasToken }))).toBe(
      "404 NOT_FOUND",
    );
  });

  it("answers with the channel, the first recipient and the text, also when the request is repeated", async () => {
    const recipients = [ada, grace].map(({ userId }) => ({ userId }));
    const headers = { "idempotency-key": "shown" };
    const body = { channel: "InApp", recipients, title: "Hello", body: "It is here." };
    const once = await request("POST /v1/notifications", { token, headers, body });
    expect(once.body).toMatchObject({
      ...{ channel: "InApp", title: "Hello", body: "It is here.", status: "Sent" },
      recipient: { userId: ada.userId, email: null, phone: null, subscriptionId: null },
    });
    expect((await request("POST /v1/notifications", { token, headers, body })).body).toEqual(once.body);
  });

  it("answers with the text that the template gave, and not with an erased one", async () => {
    const template = {
      variables: [{ name: "name", type: "text" }],
      texts: [{ locale: "en", subject: "For {{name}}", paragraphs: ["Hello {{name}}."] }],
    };
    const savedTemplate = await request("PUT /v1/notification-templates/shown", { token, body: template });
    expect([savedTemplate.status, savedTemplate.text]).toEqual([201, expect.any(String)]);
    const person = await aPerson(tenant, "Viewer");
    const headers = { "idempotency-key": "shown-template" };
    const body = {
      ...{ channel: "InApp", templateKey: "shown", data: { name: "Lin" } },
      recipient: { userId: person.userId },
    };
    const once = await request("POST /v1/notifications", { token, headers, body });
    expect(once.body).toMatchObject({ title: "For Lin", body: "Hello Lin." });
    await graphql("mutation ($id: ID!) { deleteUser(userId: $id) { status } }", {
      token,
      variables: { id: person.userId },
    });
    await eventually("the text is erased", async () => {
      const repetition = await request<Notification>("POST /v1/notifications", { token, headers, body });
      return repetition.status === 202 && repetition.body.body === null;
    });
    await request("DELETE /v1/notification-templates/shown", { token });
  });

  it("returns ids by which the events are found", async () => {
    const { notificationIds, messageId } = await sent([ada, grace], "For two.");
    interface Received {
      readonly events: { readonly type: string; readonly data: Record<string, unknown> };
    }
    const feed: Feed<Received> = await aFeed({ token, query: 'subscription { events(after: "0") { type data } }' });
    const typesOf = (id: string) =>
      feed.events.filter(({ events }) => events.data["notificationId"] === id).map(({ events }) => events.type);
    await eventually("the events arrive", () => notificationIds.every((id) => typesOf(id).length === 2));
    for (const id of notificationIds) expect(typesOf(id)).toEqual(["NotificationRequested", "NotificationSent"]);
    const ofMessage = feed.events.filter(({ events }) => events.data["messageId"] === messageId);
    expect(ofMessage).toHaveLength(4);
    await feed.stop();
  });

  it("takes at most 100 recipients", async () => {
    const recipients = Array.from({ length: 101 }, () => ({ userId: ada.userId }));
    const body = { channel: "InApp", recipients, body: "x" };
    expect(refusal(await request("POST /v1/notifications", { token, body }))).toBe("400 VALIDATION_FAILED");
  });

  it("says which form a category has", async () => {
    const body = { channel: "InApp", recipient: { userId: ada.userId }, body: "x", category: "News" };
    const answer = await request<{ errors: { pointer: string; detail: string }[] }>("POST /v1/notifications", {
      token,
      body,
    });
    expect(answer.body.errors).toEqual([
      expect.objectContaining({ pointer: "/category", detail: expect.stringContaining("small letters") }),
    ]);
  });
});

describe("GET /v1/notifications", () => {
  it("lists by state, channel, recipient and read mark", async () => {
    const person = await aPerson(tenant, "Viewer");
    const [first, second] = [await sent([person], "One."), await sent([person], "Two.")];
    await request(`POST /v1/notifications/${first.notificationId}/read`, { token });
    const of = `recipientUserId=${person.userId}`;
    expect(await idsOf(`${of}&status=Read`)).toEqual([first.notificationId]);
    expect(await idsOf(`${of}&unread=true`)).toEqual([second.notificationId]);
    expect(await idsOf(`${of}&channel=InApp`)).toEqual([first.notificationId, second.notificationId]);
    expect(await idsOf(`${of}&channel=Sms`)).toEqual([]);
    const answer = await request(`GET /v1/notifications?recipientUserId=${grace.userId}`, { token: adasToken });
    expect(refusal(answer)).toBe("403 INSUFFICIENT_SCOPE");
  });

  it("is read in pages", async () => {
    const person = await aPerson(tenant, "Viewer");
    const ids: string[] = [];
    for (const body of ["One.", "Two.", "Three."]) ids.push((await sent([person], body)).notificationId);
    const of = `recipientUserId=${person.userId}&limit=2&sort=-createdAt`;
    const { items, nextCursor } = await pageOf(of);
    const rest = await pageOf(`${of}&cursor=${nextCursor}`);
    expect([...items, ...rest.items].map((item) => item.notificationId)).toEqual(ids.toReversed());
    expect(rest.nextCursor).toBeNull();
  });
});

describe("subscription notificationUnreadCount", () => {
  it("tells the person of the token how many are unread", async () => {
    await request("POST /v1/notifications/read", { token: adasToken, body: {} });
    interface Counted {
      readonly notificationUnreadCount: { readonly unread: number };
    }
    const query = "subscription { notificationUnreadCount { unread } }";
    const feed = await aFeed<Counted>({ token: adasToken, query });
    const counts = () => feed.events.map(({ notificationUnreadCount }) => notificationUnreadCount.unread);
    await eventually("the first count arrives", () => counts().length === 1);
    await sent([grace], "Not hers.");
    await sent([ada, grace], "For both.");
    await eventually("the count rises", () => counts().length === 2);
    await request("POST /v1/notifications/read", { token: adasToken, body: {} });
    await eventually("the count falls", () => counts().length === 3);
    expect([counts(), feed.errors]).toEqual([[0, 1, 0], []]);
    await feed.stop();
  });
});

describe("PUT /v1/notifications/preferences", () => {
  it("switches a category off for the person of the token", async () => {
    const preferences = [{ channel: "InApp", category: "news", enabled: false }];
    const preferenceAnswer = await request("PUT /v1/notifications/preferences", {
      token: adasToken,
      body: { preferences },
    });
    expect([preferenceAnswer.status, preferenceAnswer.body]).toMatchObject([
      200,
      { recipientUserId: ada.userId, preferences },
    ]);
    const body = { channel: "InApp", category: "news", recipient: { userId: ada.userId }, body: "News." };
    expect((await request<Sent>("POST /v1/notifications", { token, body })).body.status).toBe("Failed");
    const others = { recipientUserId: grace.userId, preferences };
    const answer = await request("PUT /v1/notifications/preferences", { token: adasToken, body: others });
    expect(refusal(answer)).toBe("403 NOT_THE_RECIPIENT");
  });
});

describe("POST /v1/notifications/broadcasts", () => {
  it("reaches the holders of a role", async () => {
    const [publisher, viewer] = [await aPerson(tenant, "Publisher"), await aPerson(tenant, "Viewer")];
    const body = { roleCode: "Publisher", body: "To all publishers." };
    const answer = await request("POST /v1/notifications/broadcasts", { token, body });
    expect([answer.status, answer.body]).toMatchObject([202, { recipientCount: 1, isComplete: true }]);
    expect(await idsOf(`recipientUserId=${publisher.userId}`)).toHaveLength(1);
    expect(await idsOf(`recipientUserId=${viewer.userId}`)).toEqual([]);
  });
});

describe("/v1/notification-templates/{key}", () => {
  it("stores a template that notifications name, until it is deleted", async () => {
    const path = "/v1/notification-templates/welcome";
    const body = {
      variables: [{ name: "name", type: "text" }],
      texts: [
        { locale: "en", subject: "Hello {{name}}", paragraphs: ["Welcome, {{name}}."] },
        { locale: "de", subject: "Hallo {{name}}", paragraphs: ["Willkommen, {{name}}."] },
      ],
    };
    const putTemplate = (texts: unknown = body.texts) => request(`PUT ${path}`, { token, body: { ...body, texts } });
    const creation = await putTemplate();
    expect([creation.status, creation.headers.get("etag"), creation.body]).toEqual([
      ...[201, '"1"'],
      expect.objectContaining({ key: "welcome", isBuiltIn: false, version: 1 }),
    ]);
    expect((await putTemplate()).status).toBe(200);
    const brokenTemplate = await putTemplate([{ ...body.texts[0], subject: "Hello {{name" }]);
    expect([refusal(brokenTemplate), refusedFields(brokenTemplate)]).toEqual([
      "422 NOTIFICATION_TEMPLATE_INVALID",
      ["/texts/0/subject FORMAT"],
    ]);
    const data = { name: "Ada <script>" };
    const preview = await request(`POST ${path}/preview`, { token, body: { locale: "de-CH", data } });
    expect([preview.status, preview.body]).toMatchObject([200, { title: "Hallo Ada <script>", locale: "de" }]);
    const recipient = { userId: ada.userId };
    const notification = { channel: "InApp", recipient, templateKey: "welcome", locale: "de", data };
    const answer = await request<Sent>("POST /v1/notifications", { token, body: notification });
    const { body: ownNotification } = await request<Notification>(`GET ${answer.headers.get("location")}`, {
      token: adasToken,
    });
    expect(ownNotification.body).toBe("Willkommen, Ada <script>.");
    const list = await request<{ items: { key: string }[] }>("GET /v1/notification-templates", { token: adasToken });
    expect(list.body.items.map(({ key }) => key)).toEqual([
      ...["execution-failed", "limit-reached", "report-ready", "welcome"],
    ]);
    expect((await request(`DELETE ${path}`, { token })).status).toBe(204);
    expect(refusal(await request("POST /v1/notifications", { token, body: notification }))).toBe(
      "422 REFERENCE_NOT_FOUND",
    );
  });
});
