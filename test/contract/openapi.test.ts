import { endpointOf } from "@factory/rest-facade/routes/route";
import { Ajv2020 } from "ajv/dist/2020.js";
import { platform } from "../kit/platform.js";
import { request } from "../kit/request.js";
import { servedRoutes } from "../kit/routes.js";

interface Described {
  openapi: string;
  paths: Record<
    string,
    Record<string, { security: unknown[]; responses: Record<string, unknown>; operationId: string }>
  >;
  components: { schemas: Record<string, object> };
}

const plainHttp = [
  "GET /connect/authorize",
  "POST /connect/authorize",
  "GET /connect/logout",
  "POST /connect/logout",
  "GET /.well-known/jwks",
  "GET /.well-known/openid-configuration",
  "POST /connect/token",
  "POST /connect/revocation",
  "POST /connect/introspect",
  "GET /connect/userinfo",
  "POST /connect/userinfo",
  "POST /ofrep/v1/evaluate/flags/{key}",
  "POST /ofrep/v1/evaluate/flags",
  "GET /ofrep/v1/streams",
  "GET /v1/reports/runs/{reportRunId}/content",
  "POST /webhooks/deliveries",
  "POST /webhooks/deliveries/{providerKey}",
  "GET /webhooks/deliveries/{providerKey}",
];

async function described(): Promise<Described> {
  const { status, body } = await request<Described>("GET /openapi.json");
  expect(status).toBe(200);
  return body;
}

describe("GET /openapi.json", () => {
  it("lists exactly the public routes that are served", async () => {
    const { openapi, paths } = await described();
    expect(openapi).toMatch(/^3\.1\./);
    const listedEndpoints = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const servedEndpoints = servedRoutes.filter(({ surface }) => surface !== "internal").map(({ at }) => at as string);
    expect(listedEndpoints.sort()).toEqual([...servedEndpoints, ...plainHttp].sort());
  });

  it("states the status and the scopes of each route", async () => {
    const { paths } = await described();
    for (const { at, reply, scopes, run, surface, forPeople } of servedRoutes) {
      if (surface === "internal") continue;
      const { method, path } = endpointOf(at);
      const operation = paths[path]?.[method.toLowerCase()];
      expect([at, operation?.operationId]).toEqual([at, run]);
      expect(Object.keys(operation?.responses ?? {})).toContain(String(reply));
      const flows = forPeople ? [[]] : scopes.map((scope) => [scope]);
      const token = flows.length === 0 ? [] : [...flows.map((oauth2) => ({ oauth2 })), { bearer: [] }];
      expect(operation?.security).toEqual(token);
    }
  });

  it("has no broken reference, and its schemas compile", async () => {
    const document = await described();
    const text = JSON.stringify(document);
    for (const [, pointer = ""] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = pointer
        .split("/")
        .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], document);
      expect([pointer, target]).toEqual([pointer, expect.anything()]);
    }
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document, "openapi");
    for (const name of Object.keys(document.components.schemas))
      expect(ajv.getSchema(`openapi#/components/schemas/${name}`)).toBeInstanceOf(Function);
  });

  it("can be read in the browser without access to other hosts", async () => {
    const { status, text, headers } = await request("GET /docs");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toContain("text/html");
    expect(text).not.toMatch(/(src|href)=["']https?:/);
  });

  it("does not describe the internal port", async () => {
    const answer = await request("GET /openapi.json", { base: platform().internalUrl });
    expect(answer.status).toBe(404);
  });
});
