import { deliveryRoutes } from "@factory/rest-facade/routes/delivery.routes";
import { integrationRoutes } from "@factory/rest-facade/routes/integration.routes";
import { endpointOf, type Route } from "@factory/rest-facade/routes/route";
import { anInboundSource, asSpecified } from "../kit/inbound-sources.js";
import { refusal } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { anyPath } from "../kit/routes.js";
import { aTenant } from "../kit/tenants.js";

const mediaType = "application/vnd.service.integration.v1+json";
const routes: readonly Route[] = integrationRoutes;

const ask = ({ at }: Pick<Route, "at">, accept: string, token?: string) =>
  request<Record<string, unknown>>(`${endpointOf(at).method} ${anyPath(at)}`, {
    headers: { accept },
    ...(token === undefined ? {} : { token }),
  });

const json = "application/json; charset=utf-8";

/** Vendors' paths, whose routes are served beside the table. */
describe("the media type of a delivery", () => {
  it.each(Object.entries(deliveryRoutes))("to the %s path names the version, in refusals too", async (_, { at }) => {
    const source = await anInboundSource(await (await aTenant()).tokenWith());
    const path = at.split(" ")[1]?.replace("{providerKey}", source.key);
    const send = (accept: string) => {
      const delivery = { providerDeliveryId: accept, eventName: "a.made", payload: {} };
      const { headers, raw } = asSpecified(source, delivery);
      return request<Record<string, unknown>>(`POST ${path}`, { headers: { ...headers, accept }, raw });
    };
    const unknown = await send(mediaType.replace("v1", "v9"));
    expect(refusal(unknown)).toBe("406 NOT_ACCEPTABLE");
    expect(unknown.body["supported"]).toContain(mediaType);
    const [vendorAnswer, plain] = [await send(mediaType), await send("*/*")];
    expect([vendorAnswer.status, vendorAnswer.headers.get("content-type")]).toEqual([202, mediaType]);
    expect([plain.status, plain.headers.get("content-type")]).toEqual([202, json]);
    for (const { headers } of [unknown, vendorAnswer, plain]) {
      expect(headers.get("vary")).toContain("Accept");
      expect(headers.get("x-trace-id")).toMatch(/^[0-9a-f]{32}$/);
    }
    expect(vendorAnswer.body["traceId"]).toBe(vendorAnswer.headers.get("x-trace-id"));
  });
});

interface Described {
  paths: Record<string, Record<string, { responses: Record<string, Answer> }>>;
}

interface Answer {
  content?: Record<string, { schema: { properties?: object } }>;
  headers?: object;
}

describe.each(routes)("the media type of $at", (route) => {
  it("names the version, and an unknown version is refused before everything else", async () => {
    expect(route.version).toBe("media-type");
    const other = await ask(route, mediaType.replace("v1", "v9"));
    expect(refusal(other)).toBe("406 NOT_ACCEPTABLE");
    expect(other.body["supported"]).toContain(mediaType);
    const vendorAnswer = await ask(route, mediaType);
    expect(vendorAnswer.status).not.toBe(406);
    for (const { headers } of [other, vendorAnswer]) {
      expect(headers.get("x-trace-id")).toMatch(/^[0-9a-f]{32}$/);
      expect(headers.get("vary")).toContain("Accept");
    }
  });
});

describe("an answer of the integration API", () => {
  it("has the media type that was asked for", async () => {
    const token = await (await aTenant()).tokenWith();
    const lists = integrationRoutes.filter(({ at }) => at.startsWith("GET ") && !at.includes("{"));
    expect(lists.length).toBeGreaterThan(0);
    for (const route of lists) {
      const [vendorAnswer, plain] = [await ask(route, mediaType, token), await ask(route, "*/*", token)];
      expect([route.at, vendorAnswer.status, vendorAnswer.headers.get("content-type")]).toEqual([
        route.at,
        200,
        mediaType,
      ]);
      expect(plain.headers.get("content-type")).toBe(json);
    }
  });

  it("is described with both media types and the header x-trace-id", async () => {
    const { body } = await request<Described>("GET /openapi.json");
    const answerOf = (at: string, reply: number) => {
      const { method, path } = endpointOf(at);
      return body.paths[path]?.[method.toLowerCase()]?.responses[String(reply)];
    };
    for (const { at, reply } of integrationRoutes) {
      const { headers = {}, content = {} } = answerOf(at, reply) ?? {};
      expect([at, Object.keys(headers)]).toEqual([at, expect.arrayContaining(["x-trace-id"])]);
      if (reply !== 204) expect([at, Object.keys(content)]).toEqual([at, ["application/json", mediaType]]);
    }
    for (const { at } of Object.values(deliveryRoutes)) {
      const { headers = {}, content = {} } = answerOf(at, 202) ?? {};
      expect([at, Object.keys(headers)]).toEqual([at, ["x-trace-id"]]);
      expect([at, Object.keys(content)]).toEqual([at, ["application/json", mediaType]]);
      expect(content[mediaType]?.schema.properties).toHaveProperty("traceId");
    }
  });

  it("is described with traceId where the specification shows it", async () => {
    const { body } = await request<Described>("GET /openapi.json");
    const examples = ["POST /integrations/connections", "GET /integrations/runs/{runId}"];
    const exampleRoutes = integrationRoutes.filter(({ at }) => examples.includes(at));
    expect(exampleRoutes).toHaveLength(examples.length);
    const schemas = (body as unknown as { components: { schemas: Record<string, { properties: object }> } }).components;
    for (const { run } of exampleRoutes) {
      const name = `${run.charAt(0).toUpperCase()}${run.slice(1)}Response`;
      expect([run, Object.keys(schemas.schemas[name]?.properties ?? {})]).toEqual([
        run,
        expect.arrayContaining(["traceId"]),
      ]);
    }
  });
});
