import { createHash } from "node:crypto";
import { commandSchemas, eventSchemas } from "@factory/schema/event-schemas";
import { type Started, startWith } from "../facade.fixture.js";

let facade: Started;

beforeAll(async () => {
  facade = await startWith({});
});
afterAll(() => facade.close());

const anonymous = { token: undefined };

describe("GET /schemas/events/{type}", () => {
  it("answers with the JSON Schema of the type, which caches may keep", async () => {
    const { status, headers, json } = await facade.call("GET /schemas/events/TemplateExecuted", anonymous);
    expect([status, headers.get("content-type")]).toEqual([200, "application/schema+json; charset=utf-8"]);
    expect(headers.get("cache-control")).toBe("public, max-age=3600");
    expect(json).toMatchObject({ title: "TemplateExecuted", examples: [{ outcome: "Completed" }] });
    const ifNoneMatch = { "if-none-match": headers.get("etag") ?? "" };
    const again = await facade.call("GET /schemas/events/TemplateExecuted", { ...anonymous, headers: ifNoneMatch });
    expect([again.status, again.text]).toEqual([304, ""]);
  });

  it("has the envelope, and one schema for the events of all vendors", async () => {
    const titles = ["envelope", "PullRequestOpened", "VendorEventReceived"].map(
      async (type) => (await facade.call(`GET /schemas/events/${type}`, anonymous)).json["title"],
    );
    expect(await Promise.all(titles)).toEqual(["Envelope", "VendorEventReceived", "VendorEventReceived"]);
  });

  it("answers 404 for a name without a schema", async () => {
    for (const type of ["Nothing", "constructor", "templateexecuted", "GenerateReport"])
      expect([type, (await facade.call(`GET /schemas/events/${type}`, anonymous)).status]).toEqual([type, 404]);
  });
});

describe("GET /asyncapi.json", () => {
  it("names the address at which it is served, and needs no token", async () => {
    const { status, headers, json } = await facade.call("GET /asyncapi.json", anonymous);
    expect([status, json["asyncapi"], json["servers"].platform.host]).toEqual([
      200,
      "3.0.0",
      new URL(facade.publicUrl).host,
    ]);
    const ifNoneMatch = { "if-none-match": headers.get("etag") ?? "" };
    expect((await facade.call("GET /asyncapi.json", { ...anonymous, headers: ifNoneMatch })).status).toBe(304);
  });
});

describe("GET /docs/events", () => {
  it("is a page that runs no script and loads nothing", async () => {
    const { status, headers, text } = await facade.call("GET /docs/events", anonymous);
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'none'; frame-ancestors 'none'/,
    );
    expect(text).not.toMatch(/<script|<img|<link|<iframe|<form|\son\w+=|\sstyle=|\ssrc=|@import|url\(/i);
    const style = /<style>([^]*)<\/style>/.exec(text)?.[1] ?? "";
    expect(policy).toContain(`'sha256-${createHash("sha256").update(style).digest("base64")}'`);
  });

  it("has every event and command with its schema, and each of its links leads somewhere", async () => {
    const { text } = await facade.call("GET /docs/events", anonymous);
    const ids = new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id ?? ""));
    expect([...ids]).toEqual(expect.arrayContaining([...eventSchemas.keys(), ...commandSchemas.keys()]));
    const links = new Set([...text.matchAll(/href="([^"]+)"/g)].map(([, link]) => link ?? ""));
    for (const link of links) {
      if (link.startsWith("#")) expect(ids).toContain(link.slice(1));
      else expect([link, (await facade.call(`HEAD ${link}`, anonymous)).status]).toEqual([link, 200]);
    }
  });
});
