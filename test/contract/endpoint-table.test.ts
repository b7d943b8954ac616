import { readFileSync } from "node:fs";
import { scopes } from "@factory/schema/scopes";
import { isObjectType } from "graphql";
import { platform } from "../kit/platform.js";
import { request } from "../kit/request.js";
import { committedGraph } from "../kit/routes.js";

interface Row {
  endpoint: string;
  surface: string;
  auth: string;
  scopes: string[];
  operation: string | null;
  success: number[];
}

const table = JSON.parse(readFileSync(new URL("../../schema/endpoints.json", import.meta.url), "utf8")) as Row[];
const methodAndPath = ({ endpoint }: Row) => endpoint.split(" ") as [method: string, path: string];
const servedRows = table.filter(({ operation }) => operation !== null);
const baseOf = ({ surface }: Row) => (surface === "internal" ? platform().internalUrl : platform().publicUrl);

describe("schema/endpoints.json", () => {
  it("has one row for each endpoint, and every scope exists", () => {
    const names = table.map(({ endpoint }) => endpoint);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    for (const row of table) expect(scopes).toEqual(expect.arrayContaining(row.scopes));
  });

  it("has paths of lowercase, hyphenated nouns, and collections in the plural", () => {
    const paths = table.map((row) => methodAndPath(row)[1]).filter((path) => path.startsWith("/v1/"));
    const segments = paths.map((path) => path.split("/").slice(2));
    const words = segments.flat().filter((segment) => !segment.startsWith("{"));
    expect(words.filter((word) => !/^[a-z]+(-[a-z]+)*$/.test(word))).toEqual([]);
    expect(words).toEqual(expect.arrayContaining(["feature-flags", "notifications", "config", "provision"]));
    const collections = new Set(segments.map(([collection = ""]) => collection));
    // the specification itself calls the configuration so
    expect([...collections].filter((collection) => !collection.endsWith("s"))).toEqual(["config"]);
  });

  it("answers each time as ISO 8601 in UTC", () => {
    const types = Object.values(committedGraph().getTypeMap()).filter(isObjectType);
    const times = types.flatMap((type) =>
      Object.values(type.getFields())
        .filter(({ name, type: of }) => /(At|Start|End)$/.test(name) && String(of).replace("!", "") !== "Boolean")
        .map((field) => `${type.name}.${field.name}: ${String(field.type).replace("!", "")}`),
    );
    expect(times).toEqual(
      expect.arrayContaining(["ReportRun.requestedAt: DateTime", "Invitation.expiresAt: DateTime"]),
    );
    expect(times.filter((time) => !time.endsWith(": DateTime"))).toEqual([]);
  });

  it("requires a scope for each endpoint that runs one operation with a bearer token, but for people's own sessions", () => {
    const open = servedRows.filter((row) => row.auth === "bearer" && row.scopes.length === 0);
    expect(open.map(({ endpoint }) => endpoint)).toEqual([
      ...["GET /v1/sessions", "DELETE /v1/sessions/{sessionId}", "POST /v1/sessions/end-others"],
    ]);
  });

  it("names root fields that exist, and each root field has one endpoint", () => {
    const graph = committedGraph();
    const fields = { ...graph.getQueryType()?.getFields(), ...graph.getMutationType()?.getFields() };
    expect(servedRows.filter(({ operation }) => !Object.hasOwn(fields, operation ?? ""))).toEqual([]);
    const ofCallers = servedRows.filter(({ auth }) => auth !== "signature");
    expect(new Set(ofCallers.map(({ operation }) => operation)).size).toBe(ofCallers.length);
  });

  it("agrees with the OpenAPI document about public endpoints and their authentication", async () => {
    interface Operation {
      operationId: string;
      security: object[];
      responses: Record<string, unknown>;
    }
    const { body } = await request<{ paths: Record<string, Record<string, Operation>> }>("GET /openapi.json");
    const operations = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ at: `${method.toUpperCase()} ${path}`, operation })),
    );
    for (const { at, operation } of operations) {
      const row = table.find(({ endpoint }) => endpoint === at);
      expect([at, row?.surface]).toEqual([at, "public"]);
      const anyToken = row?.auth === "bearer" && row.scopes.length === 0 ? [{ oauth2: [] }] : [];
      const flows = [...anyToken, ...(row?.scopes ?? []).map((scope) => ({ oauth2: [scope] }))];
      const requirements = flows.length > 0 ? [...flows, { bearer: [] }] : [];
      expect([at, operation.security]).toEqual([at, requirements]);
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(row?.success.map(String) ?? []));
    }
    const missing = servedRows.filter(({ endpoint }) => !operations.some(({ at }) => at === endpoint));
    expect(missing.map(({ surface }) => surface)).toEqual(missing.map(() => "internal"));
  });

  it("lists exactly the methods that a path answers", async () => {
    for (const first of servedRows) {
      const path = methodAndPath(first)[1].replaceAll(/\{\w+\}/g, "anything");
      const answer = await request(`OPTIONS ${path}`, { base: baseOf(first) });
      // path patterns overlap, so another row's path may also match
      const matchingRows = table.filter(
        (row) =>
          row.surface === first.surface &&
          new RegExp(`^${methodAndPath(row)[1].replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path),
      );
      const methods = new Set(["OPTIONS", ...matchingRows.flatMap((row) => methodsOf(methodAndPath(row)[0]))]);
      expect([path, answer.headers.get("allow")]).toEqual([path, [...methods].sort().join(", ")]);
    }
  });

  it("lists every endpoint that the discovery document names", async () => {
    const { body } = await request<Record<string, unknown>>("GET /.well-known/openid-configuration");
    const endpointUrls = Object.entries(body).filter(([name]) => name.endsWith("_endpoint") || name === "jwks_uri");
    const paths = new Set(table.map((row) => methodAndPath(row)[1]));
    const unknown = endpointUrls.filter(([, address]) => !paths.has(new URL(String(address)).pathname));
    expect(unknown).toEqual([]);
  });

  it("lists the endpoints that answer without a token", async () => {
    for (const row of table.filter(({ auth, endpoint }) => auth === "anonymous" && endpoint.startsWith("GET "))) {
      const [method, path] = methodAndPath(row);
      const parameters = path
        .replace("{code}", "not-found")
        .replace("{type}", "TemplateExecuted")
        .replace("/guides/{name}", "/guides/catalog");
      const answer = await request(`${method} ${parameters}`, { base: baseOf(row) });
      expect([row.endpoint, [401, 403, 404, 405]]).toEqual([row.endpoint, expect.not.arrayContaining([answer.status])]);
    }
  });
});

const methodsOf = (method: string) => (method === "GET" ? ["GET", "HEAD"] : [method]);
