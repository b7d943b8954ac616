import { scopes } from "@factory/schema/scopes";
import { type Started, startWith } from "../facade.fixture.js";
import { endpointOf, pathParameters } from "../routes/route.js";
import { areas, routeTables } from "../routes/route-tables.js";
import { aPageBuild } from "../static-files/static-files.fixture.js";
import { plainHttpPaths } from "./plain-http-paths.js";

interface Operation {
  operationId: string;
  security: { oauth2?: string[] }[];
  parameters?: { name: string; in: string; required: boolean; schema: unknown }[];
  requestBody?: { content: Record<string, { schema: { $ref: string } }> };
  responses: Record<string, { content?: Record<string, { schema: { $ref: string } }> }>;
}

interface Document {
  openapi: string;
  info: { description: string };
  servers: object[];
  externalDocs: { url: string };
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, { properties?: Record<string, unknown>; required?: string[] }>;
    securitySchemes: { oauth2: { flows: { clientCredentials: { tokenUrl: string } } } };
  };
}

let facade: Started;
let document: Document;

beforeAll(async () => {
  facade = await startWith({});
  document = (await facade.call("GET /openapi.json", { token: undefined })).json as unknown as Document;
});

afterAll(() => facade.close());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

describe("GET /openapi.json", () => {
  it("has version 3.1 and is cached with revalidation", async () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    const tag = (await facade.call("GET /openapi.json")).headers.get("etag") ?? "";
    expect((await facade.call("GET /openapi.json", { headers: { "if-none-match": tag } })).status).toBe(304);
  });

  it("names the address of the platform, and the graph's lists where a reader looks for them", async () => {
    const { servers, info, externalDocs, components } = document;
    expect([servers, externalDocs.url]).toEqual([[{ url: facade.publicUrl }], `${facade.publicUrl}/docs/guides`]);
    expect(components.securitySchemes.oauth2.flows.clientCredentials.tokenUrl).toBe(
      `${facade.publicUrl}/connect/token`,
    );
    expect(info.description).toContain("`executions` (instead of GET /v1/templates/{templateId}/executions)");
  });

  it("describes every public route, but no internal route", () => {
    const rows = areas.flatMap((area) => routeTables[area]);
    const servedEndpoints = rows.filter(({ surface }) => surface !== "internal").map(({ at }) => at);
    const plain = Object.entries(plainHttpPaths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const describedEndpoints = operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect(describedEndpoints.sort()).toEqual([...servedEndpoints, ...plain].sort());
  });

  it("tells of each route that it limits requests", () => {
    const routes = new Set<string>(areas.flatMap((area) => routeTables[area]).map(({ run }) => run));
    const silent = operations().filter(
      ({ operation }) => routes.has(operation.operationId) && !operation.responses[429],
    );
    expect(silent.map(({ operation }) => operation.operationId)).toEqual([]);
  });

  it("resolves every reference", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, reference]) => reference ?? "",
    );
    expect(references.length).toBeGreaterThan(50);
    for (const reference of references) {
      expect(reference).toMatch(/^#\//);
      const target = reference
        .slice(2)
        .split("/")
        .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document);
      expect([reference, typeof target]).toEqual([reference, "object"]);
    }
  });

  it("declares every path parameter and names every operation once", () => {
    for (const { path, operation } of operations()) {
      const declaredParameters = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
      expect(declaredParameters.map(({ name }) => name)).toEqual(pathParameters(path));
      expect(declaredParameters.every(({ required }) => required)).toBe(true);
      const names = (operation.parameters ?? []).map((parameter) => `${parameter.in} ${parameter.name}`);
      expect(new Set(names).size).toBe(names.length);
    }
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("requires one of the known scopes", () => {
    for (const { operation } of operations())
      for (const { oauth2 = [] } of operation.security) expect(scopes).toEqual(expect.arrayContaining(oauth2));
    const poll = document.paths["/v1/templates/{templateId}/executions/{executionId}"]?.["get"];
    expect(poll?.security).toEqual([{ oauth2: ["templates.read"] }, { oauth2: ["templates.execute"] }, { bearer: [] }]);
  });

  it("derives bodies from input types and answers from selection sets", () => {
    const { schemas } = document.components;
    expect(schemas["RegisterTemplateInput"]).toMatchObject({
      required: ["name"],
      properties: {
        name: { type: "string", minLength: 1, maxLength: 200 },
        tags: { maxItems: 50, items: { maxLength: 50 } },
      },
    });
    expect(schemas["TemplateResponse"]).toMatchObject({
      type: "object",
      required: ["templateId", "name", "category", "status", "versions"],
      properties: {
        templateId: { type: "string" },
        name: { type: "string" },
        category: { type: ["string", "null"] },
        status: { type: "string", enum: ["Active", "Archived"] },
        versions: {
          type: "array",
          items: {
            type: "object",
            required: ["templateVersionId", "semanticVersion", "status", "targetFramework"],
            properties: {
              templateVersionId: { type: "string" },
              semanticVersion: { type: "string" },
              status: { type: "string", enum: ["Deprecated", "Draft", "Published"] },
              targetFramework: { type: "string" },
            },
          },
        },
      },
    });
    expect(schemas["ExecutionResponse"]?.properties?.["startedAt"]).toMatchObject({
      type: ["string", "null"],
      format: "date-time",
    });
  });

  it("lists limit and cursor, the Idempotency-Key and both media types for the right routes", () => {
    const names = (path: string, method: string) => document.paths[path]?.[method]?.parameters?.map(({ name }) => name);
    expect(names("/v1/tenants", "get")).toEqual(expect.arrayContaining(["limit", "cursor", "status", "api-version"]));
    expect(names("/v1/templates", "post")).toContain("Idempotency-Key");
    expect(names("/v1/libraries/search", "post")).not.toContain("Idempotency-Key");
    const provider = document.paths["/integrations/providers"]?.["post"];
    expect(Object.keys(provider?.requestBody?.content ?? {})).toHaveLength(2);
    expect(endpointOf("GET /v1/tenants")).toEqual({ method: "GET", path: "/v1/tenants" });
  });
});

describe("GET /docs", () => {
  it("is a page whose scripts and document come from this server, by addresses that change with their content", async () => {
    const build = await aPageBuild();
    const own = await startWith({}, { pageFiles: build.files });
    const page = await own.call("GET /docs", { token: undefined });
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("script-src 'self';");
    expect(page.text).not.toMatch(/https?:\/\//);
    expect(page.text).not.toMatch(/<script(?![^>]*src=)/);
    const urls = [...page.text.matchAll(/(?:src|href|data-document)="(\/[^"]+)"/g)].map(([, url]) => url ?? "");
    expect(urls).toEqual(expect.arrayContaining(["/assets/viewer-AA.js", "/assets/style-DD.css"]));
    for (const url of urls) {
      const { status, headers } = await own.call(`HEAD ${url}`, { token: undefined });
      expect([url, status]).toEqual([url, 200]);
      if (!/^\/(?:docs|graphql)/.test(url)) expect(headers.get("cache-control")).toContain("immutable");
    }
    await own.close();
    await build[Symbol.asyncDispose]();
  });

  it("is asked for again with its tag, and answered by 304 until its content changes", async () => {
    const page = await facade.call("GET /docs", { token: undefined });
    expect(page.headers.get("cache-control")).toBe("no-cache");
    const headers = { "if-none-match": page.headers.get("etag") ?? "" };
    expect((await facade.call("GET /docs", { token: undefined, headers })).status).toBe(304);
    const stale = await facade.call("GET /openapi.json?version=older", { token: undefined });
    expect([stale.status, stale.headers.get("cache-control")]).toEqual([200, "no-cache"]);
  });

  it("is where the root and the address with a slash lead", async () => {
    for (const path of ["/", "/docs/"]) {
      const { status, headers } = await facade.call(`GET ${path}`, { token: undefined });
      expect([path, status, headers.get("location")]).toEqual([path, 302, "/docs"]);
    }
  });
});

describe("GET /problems/{code}", () => {
  it("describes a problem type as JSON and as HTML", async () => {
    const { status, json } = await facade.call("GET /problems/template-not-found", { token: undefined });
    expect([status, json["code"], json["status"], json["title"]]).toEqual([
      200,
      "TEMPLATE_NOT_FOUND",
      404,
      "Template not found",
    ]);
    const page = await facade.call("GET /problems/payload-too-large", {
      token: undefined,
      headers: { accept: "text/html" },
    });
    expect([page.headers.get("content-type"), page.text.includes("larger than 1 MiB")]).toEqual([
      "text/html; charset=utf-8",
      true,
    ]);
    for (const code of ["nonsense", "constructor", "TEMPLATE_NOT_FOUND", "template_not_found"])
      expect([code, (await facade.call(`GET /problems/${code}`)).status]).toEqual([code, 404]);
  });
});
