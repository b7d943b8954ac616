import { readFileSync } from "node:fs";
import { describedApi } from "@factory/rest-facade/described-api";
import { requireDescribed } from "../kit/described-answers.js";
import { request } from "../kit/request.js";
import { aTenant } from "../kit/tenants.js";

const json = { "content-type": "application/json; charset=utf-8", "x-trace-id": "0af7651916cd43dd8448eb211c80319c" };

const compare = (line: string, status: number, headers: Record<string, string>, text: string) => () =>
  requireDescribed(line.split(" ")[0] ?? "", line.split(" ")[1] ?? "", { status, headers: new Headers(headers), text });

const role = {
  ...{ roleId: "rol_01kddrhzv0e9va1fr6y5t3kxqz", code: "Viewer", name: "Viewer", description: null },
  ...{ scopes: [], system: true, createdAt: "2026-01-15T09:30:00.000Z" },
};

describe("each answer of the suites", () => {
  it("is compared with the document that the platform serves", async () => {
    const sdl = readFileSync(new URL("../../schema/supergraph.graphql", import.meta.url), "utf8");
    const { paths, components } = JSON.parse(JSON.stringify(describedApi(sdl))) as ReturnType<typeof describedApi>;
    const { body } = await request<{ paths: object; components: object }>("GET /openapi.json");
    expect(body.paths).toEqual(paths);
    expect(body.components).toMatchObject({ schemas: components.schemas, responses: components.responses });
  });

  it("is accepted where it is described", async () => {
    const token = await (await aTenant()).tokenWith();
    const { status } = await request("GET /v1/roles?limit=1", { token });
    expect(status).toBe(200);
    expect(compare("GET /outside", 418, {}, "")).not.toThrow();
  });

  it.each([
    ["a status that is not described", 418, json, "{}", "The status 418 is not documented"],
    [
      "another media type",
      200,
      { ...json, etag: '"1"', "content-type": "text/html" },
      "",
      "The content type text/html",
    ],
    ["a missing header", 200, json, JSON.stringify(role), "The header etag is missing"],
    [
      "a header that is not described",
      200,
      { ...json, etag: '"1"', location: "/" },
      "{}",
      "The header location is not",
    ],
    ["a missing member", 200, { ...json, etag: '"1"' }, '{"roleId":"rol_1"}', "must have required property"],
    [
      "a problem with an unknown code",
      404,
      { ...json, "content-type": "application/problem+json" },
      '{"type":"/problems/x","title":"X","status":404,"detail":"X","code":"X","traceId":"0af7651916cd43dd8448eb211c80319c"}',
      'The body at "/code"',
    ],
  ])("is refused for %s", (_, status, headers, text, message) => {
    expect(compare("GET /v1/roles/rol_1", status, headers, text)).toThrow(message);
  });

  it("of a method that a path does not have is a refusal", () => {
    expect(compare("PROPFIND /v1/roles", 405, {}, "")).not.toThrow();
    expect(compare("PROPFIND /v1/roles", 207, {}, "")).toThrow("The path has no method PROPFIND");
  });
});
