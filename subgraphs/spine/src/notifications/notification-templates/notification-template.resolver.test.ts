import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { LongWork } from "@factory/runtime/threads/long-work";
import type { Scope } from "@factory/schema/scopes";
import { aUser } from "../../people/users/user.fixture.js";
import { type Answer, type Json, principal, RunningSpine } from "../../running-spine.fixture.js";
import { MessageComposer } from "../notification-channels/messages/message-composer.js";
import { notificationNow, sendDocument, sent } from "../notifications/notification.fixture.js";
import { NotificationTemplateService } from "./notification-template.service.js";

let platform: RunningSpine;
let tenantId: string;
let userId: string;

beforeAll(async () => {
  platform = await RunningSpine.shared();
  tenantId = await platform.activeTenant("acme");
  userId = (await aUser(platform, tenantId, [])).userId;
});
afterAll(() => platform?.stop());

const fields = `key isBuiltIn version updatedBy linkVariable variables { name type isOptional members }
  texts { locale subject paragraphs linkLabel }`;
const documents = {
  set: `mutation ($key: ID!, $input: SetNotificationTemplateInput!, $ifMatch: String, $ifNoneMatch: String) {
    setNotificationTemplate(key: $key, input: $input, ifMatch: $ifMatch, ifNoneMatch: $ifNoneMatch) { ${fields} created } }`,
  delete: `mutation ($key: ID!, $ifMatch: String) { deleteNotificationTemplate(key: $key, ifMatch: $ifMatch) { ${fields} } }`,
  get: `query ($key: ID!) { notificationTemplate(key: $key) { ${fields} } }`,
  list: `query ($first: Int, $after: String) { notificationTemplates(first: $first, after: $after) { items { key isBuiltIn } nextCursor } }`,
  preview: `query ($key: ID!, $input: PreviewNotificationTemplateInput!) { previewNotificationTemplate(key: $key, input: $input) {
    locale title body paragraphs link { label url } } }`,
};

const scopes: Scope[] = ["config.read", "config.manage", "notification.read", "notification.send"];
const by = (of = tenantId) => principal(of, scopes);
const ask = (name: keyof typeof documents, variables: Record<string, unknown> = {}, of = tenantId): Promise<Answer> =>
  platform.ask(by(of), documents[name], variables);

async function done(...[name, variables, of]: Parameters<typeof ask>): Promise<Json> {
  const { data, errors } = await ask(name, variables, of);
  if (!data) throw new Error(JSON.stringify(errors));
  return Object.values(data)[0];
}

const order = {
  variables: [
    { name: "customer", type: "text" },
    { name: "items", type: "list", members: ["title"] },
    { name: "isGift", type: "boolean", isOptional: true },
    { name: "url", type: "address", isOptional: true },
  ],
  linkVariable: "url",
  texts: [
    {
      ...{ locale: "de", subject: "Danke, {{customer}}", linkLabel: "Bestellung ansehen" },
      paragraphs: ["{{#items}}- {{title}}\n{{/items}}", "{{#isGift}}Als Geschenk verpackt.{{/isGift}}"],
    },
    {
      ...{ locale: "en", subject: "Thank you, {{customer}}", linkLabel: "Show the order" },
      paragraphs: ["{{#items}}- {{title}}\n{{/items}}", "{{#isGift}}Wrapped as a gift.{{/isGift}}"],
    },
  ],
};
const data = {
  customer: "Ada <b>",
  items: [{ title: "Pen" }, { title: "Ink" }],
  isGift: true,
  url: "https://a.example/1",
};
const inApp = (templateKey: string, more: Record<string, unknown> = {}) => ({
  ...{ channel: "InApp", recipient: { userId }, templateKey, ...more },
});

const eventsAbout = async (key: string) =>
  (await platform.eventsOf(tenantId)).filter(({ subject }) => subject === `notification-templates/${key}`);

describe("Mutation.setNotificationTemplate", () => {
  it("stores a template, which notifications have in their language", async () => {
    const storedTemplate = await done("set", { key: "order", input: order });
    expect(storedTemplate).toMatchObject({
      key: "order",
      isBuiltIn: false,
      version: 1,
      updatedBy: "cli_test",
      created: true,
    });
    expect(await done("get", { key: "order" })).toEqual({ ...storedTemplate, created: undefined });
    const german = await sent(platform, tenantId, inApp("order", { data, locale: "de-CH" }));
    expect(await notificationNow(platform, tenantId, german.notificationId)).toMatchObject({
      title: "Danke, Ada <b>",
      body: "- Pen\n- Ink\n\nAls Geschenk verpackt.\n\nBestellung ansehen:\nhttps://a.example/1",
    });
    const other = await sent(platform, tenantId, inApp("order", { data: { ...data, isGift: false }, locale: "fr" }));
    expect((await notificationNow(platform, tenantId, other.notificationId)).body).toBe(
      "- Pen\n- Ink\n\nShow the order:\nhttps://a.example/1",
    );
  });

  it("records each change, and nothing where nothing has changed", async () => {
    await done("set", { key: "changing", input: order });
    expect(await done("set", { key: "changing", input: order })).toMatchObject({ version: 1, created: false });
    const changedTemplate = { ...order, texts: order.texts.slice(1) };
    expect(await done("set", { key: "changing", input: changedTemplate })).toMatchObject({
      version: 2,
      created: false,
    });
    expect(await done("delete", { key: "changing" })).toMatchObject({ key: "changing", version: 2 });
    expect((await ask("get", { key: "changing" })).refusal).toMatchObject({ code: "NOT_FOUND" });
    const events = await eventsAbout("changing");
    expect(events.map(({ type, data: { change, version, locales } }) => [type, change, version, locales])).toEqual([
      ["NotificationTemplateUpdated", "Created", 1, ["de", "en"]],
      ["NotificationTemplateUpdated", "Updated", 2, ["en"]],
      ["NotificationTemplateDeleted", undefined, 2, undefined],
    ]);
  });

  it("replaces a template of the platform until it is deleted", async () => {
    const key = "report-ready";
    const input = { texts: [{ locale: "en", subject: "Ours", paragraphs: ["Our own words."] }] };
    expect(await done("set", { key, input, ifMatch: '"0"' })).toMatchObject({ isBuiltIn: false, created: true });
    const ours = await sent(platform, tenantId, inApp(key));
    expect((await notificationNow(platform, tenantId, ours.notificationId)).title).toBe("Ours");
    const elsewhere = await platform.activeTenant("elsewhere");
    expect(await done("get", { key }, elsewhere)).toMatchObject({ isBuiltIn: true, version: 0 });
    expect(await done("delete", { key })).toMatchObject({ texts: [{ subject: "Ours" }] });
    expect(await done("get", { key })).toMatchObject({ isBuiltIn: true, linkVariable: "url" });
    expect((await platform.ask(by(), sendDocument, { input: inApp(key) })).refusal).toMatchObject({
      ...{
        code: "PARAMETERS_INVALID",
        errors: [{ pointer: "/input/data/reportName" }, { pointer: "/input/data/url" }],
      },
    });
    expect((await ask("delete", { key })).refusal).toMatchObject({ code: "NOT_FOUND" });
    expect((await eventsAbout(key)).at(-1)?.data).toMatchObject({ isBuiltInUsed: true });
  });

  it("refuses what cannot be read, with a pointer, and stores nothing", async () => {
    const texts = [{ ...order.texts[1], paragraphs: ["Fine.", "{{#items}}"] }];
    const { refusal } = await ask("set", { key: "broken", input: { ...order, texts } });
    expect(refusal).toMatchObject({
      ...{
        code: "NOTIFICATION_TEMPLATE_INVALID",
        errors: [{ pointer: "/input/texts/0/paragraphs/1", code: "FORMAT" }],
      },
    });
    expect((await ask("get", { key: "broken" })).refusal).toMatchObject({ code: "NOT_FOUND" });
    for (const key of ["", "-x", "a/b", "x".repeat(101)])
      expect((await ask("set", { key, input: order })).refusal).toMatchObject({ code: "VALIDATION_FAILED" });
  });

  it("happens only with the preconditions of the request", async () => {
    await done("set", { key: "guarded", input: order, ifNoneMatch: "*" });
    const failedPrecondition = { code: "PRECONDITION_FAILED", currentVersion: 1 };
    expect((await ask("set", { key: "guarded", input: order, ifNoneMatch: "*" })).refusal).toMatchObject(
      failedPrecondition,
    );
    expect((await ask("delete", { key: "guarded", ifMatch: '"2"' })).refusal).toMatchObject(failedPrecondition);
    expect(await done("delete", { key: "guarded", ifMatch: '"1"' })).toMatchObject({ key: "guarded" });
  });

  it("is refused after 200 templates of a tenant", async () => {
    const full = await platform.activeTenant("full");
    await done("set", { key: "one", input: order }, full);
    await platform.admin.query(
      `insert into notification_templates select (jsonb_populate_record(template, jsonb_build_object('key', 'key-' || n))).*
       from notification_templates template, generate_series(1, 199) n where tenant_id = $1`,
      [decodeId("ten", full)],
    );
    expect((await ask("set", { key: "two", input: order }, full)).refusal).toMatchObject({
      ...{ code: "CONFLICT", limit: 200 },
    });
    expect(await done("set", { key: "one", input: { ...order, texts: order.texts.slice(1) } }, full)).toMatchObject({
      version: 2,
    });
  });
});

describe("Query.notificationTemplates", () => {
  it("lists the own templates and those of the platform in pages, each key once", async () => {
    const shop = await platform.activeTenant("shop");
    for (const key of ["order", "limit-reached"]) await done("set", { key, input: order }, shop);
    const listedTemplates: Json[] = [];
    for (let after: string | null = null, pages = 0; pages < 9; pages += 1) {
      const { items, nextCursor } = await done("list", { first: 2, after }, shop);
      listedTemplates.push(...items);
      after = nextCursor;
      if (after === null) break;
    }
    expect(listedTemplates).toEqual([
      { key: "execution-failed", isBuiltIn: true },
      { key: "limit-reached", isBuiltIn: false },
      { key: "order", isBuiltIn: false },
      { key: "report-ready", isBuiltIn: true },
    ]);
  });
});

describe("Query.previewNotificationTemplate", () => {
  it("shows what a notification would contain", async () => {
    await done("set", { key: "previewed", input: order });
    const input = { locale: "de", data: { ...data, customer: "Ada\r\nBcc: eve@evil.example", isGift: undefined } };
    expect(await done("preview", { key: "previewed", input })).toEqual({
      ...{ locale: "de", title: "Danke, Ada Bcc: eve@evil.example", paragraphs: ["- Pen\n- Ink"] },
      body: "- Pen\n- Ink\n\nBestellung ansehen:\nhttps://a.example/1",
      link: { label: "Bestellung ansehen", url: "https://a.example/1" },
    });
  });

  it("refuses values that do not fit the variables", async () => {
    await done("set", { key: "strict", input: order });
    const wrong = { customer: 1, items: [{ title: {} }], isGift: "yes", url: "javascript:alert(1)" };
    const { refusal } = await ask("preview", { key: "strict", input: { data: wrong } });
    expect(refusal?.["errors"].map(({ pointer, code }: Json) => `${pointer} ${code}`)).toEqual([
      "/input/data/customer TYPE",
      "/input/data/items TYPE",
      "/input/data/isGift TYPE",
      "/input/data/url FORMAT",
    ]);
    const long = { ...data, items: Array.from({ length: 4000 }, () => ({ title: "abc" })) };
    expect((await ask("preview", { key: "strict", input: { data: long } })).refusal).toMatchObject({
      ...{ code: "PARAMETERS_INVALID", errors: [{ pointer: "/input/data", code: "TOO_LONG" }] },
    });
    expect((await ask("preview", { key: "unknown", input: {} })).refusal).toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("a message at its delivery", () => {
  it("is rendered in several turns of the event loop where it has many items", async () => {
    let turns = 0;
    const work = new LongWork({
      sliceMs: 0,
      nextTurn: (turn) => {
        turns += 1;
        setImmediate(turn);
      },
    });
    const composer = new MessageComposer(platform.spine.get(NotificationTemplateService), work);
    await done("set", { key: "many", input: order });
    const many = { ...data, items: Array.from({ length: 2000 }, () => ({ title: "a" })) };
    const content = {
      tenant: tenantWithId(tenantId),
      title: "",
      body: "",
      templateKey: "many",
      data: many,
      locale: null,
    };
    expect((await composer.compose(content)).body).toBe("");
    expect(turns).toBeGreaterThan(8);
  });
});

describe("a template that changes after the request", () => {
  it("does not change what is sent", async () => {
    const composer = new MessageComposer(platform.spine.get(NotificationTemplateService));
    await done("set", { key: "later", input: order });
    const { notificationId } = await sent(platform, tenantId, inApp("later", { data }));
    const { title, body } = await notificationNow(platform, tenantId, notificationId);
    const content = { tenant: tenantWithId(tenantId), title, body, templateKey: "later", data, locale: null };
    expect(await composer.compose(content)).toMatchObject({ title, body, link: { url: data.url } });
    const changedTemplate = { ...order, texts: [{ ...order.texts[1], subject: "Other words" }] };
    await done("set", { key: "later", input: changedTemplate });
    expect(await composer.compose(content)).toMatchObject({ title, body, link: undefined });
    await done("delete", { key: "later" });
    expect(await composer.compose(content)).toMatchObject({ title, body, link: undefined });
  });
});
