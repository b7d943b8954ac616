import { request } from "node:http";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type Started, sendBytes, startWith } from "./facade.fixture.js";
import { refused } from "./requests/sample-graph.fixture.js";

const createdAt = "2026-01-01T00:00:00.000Z";
let facade: Started;
let seenRequests: { variables: Record<string, unknown>; context: Record<string, unknown> }[] = [];

beforeAll(async () => {
  const keep = (variables: Record<string, unknown>, context: unknown) => {
    seenRequests.push({ variables, context: context as Record<string, unknown> });
  };
  facade = await startWith({
    template: ({ templateId }) => {
      if (templateId === "tpl_boom") throw new Error("a secret of the implementation");
      if (templateId === "tpl_half") throw refused("UPSTREAM_TIMEOUT", "catalog did not answer");
      if (templateId !== "tpl_1")
        throw refused("TEMPLATE_NOT_FOUND", "The template does not exist, or it belongs to another tenant.");
      return { templateId, name: "api", category: null, status: "Active", allVersions: [] };
    },
    registerTemplate: (variables, context) => {
      keep(variables, context);
      const { input } = variables as { input: { name: string } };
      if (input.name === "taken") throw refused("TEMPLATE_EXISTS", "The name is taken.", { existing: "tpl_1" });
      if (input.name === "replay") (context as { replayed: boolean }).replayed = true;
      return { templateId: "tpl_1", name: input.name, category: null, status: "Active", createdAt };
    },
    requestExecution: (variables, context) => {
      keep(variables, context);
      return { executionId: "exe_1", status: "Requested", scaffoldOutputId: null };
    },
    execution: ({ executionId }) => ({
      executionId,
      templateId: "tpl_1",
      templateVersionId: "tpv_1",
      status: executionId === "exe_done" ? "Completed" : "Running",
      requestedAt: createdAt,
      attempts: 1,
      target: { repository: "acme/orders", branch: "main" },
      correlation: { agentTaskId: null },
      manualInstructions: [],
      warnings: [],
      traceId: "0".repeat(32),
    }),
    searchLibraries: (variables, context) => {
      keep(variables, context);
      return { results: [], total: 0, nextCursor: null };
    },
    registerProvider: () => ({
      providerId: "prv_1",
      status: "Registered",
      apiClientId: "apc_1",
      registeredAt: createdAt,
    }),
    tenants: (variables, context) => {
      keep(variables, context);
      return { items: [], nextCursor: "next/cursor" };
    },
    provisionTenant: ({ tenantId }) => ({ tenantId, status: "Provisioning", runId: "run_1" }),
  });
});

afterAll(() => facade.close());
beforeEach(() => {
  seenRequests = [];
});

describe("GET /v1/templates/{templateId}", () => {
  it("returns the selection set of its operation", async () => {
    const { status, json, headers } = await facade.call("GET /v1/templates/tpl_1");
    expect(status).toBe(200);
    expect(json).toEqual({ templateId: "tpl_1", name: "api", category: null, status: "Active", versions: [] });
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(headers.get("cache-control")).toBe("private, no-cache");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-trace-id")).toMatch(/^[0-9a-f]{32}$/);
  });

  it("continues the trace of the caller", async () => {
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    const answer = await facade.call("GET /v1/templates/tpl_1", { headers });
    expect(answer.headers.get("x-trace-id")).toBe(traceId);
    expect(answer.headers.get("traceparent")).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  });

  it("returns 304 for its entity tag, weak or strong", async () => {
    const tag = (await facade.call("GET /v1/templates/tpl_1")).headers.get("etag") ?? "";
    for (const knownTag of [tag, `"other", ${tag}`, tag.replace("W/", ""), "*"]) {
      const answer = await facade.call("GET /v1/templates/tpl_1", { headers: { "if-none-match": knownTag } });
      expect([answer.status, answer.text, answer.headers.get("etag")]).toEqual([304, "", tag]);
    }
    const changedAnswer = await facade.call("GET /v1/templates/tpl_1", { headers: { "if-none-match": '"other"' } });
    expect(changedAnswer.status).toBe(200);
  });

  it("answers HEAD without a body", async () => {
    const { status, text, headers } = await facade.call("HEAD /v1/templates/tpl_1");
    expect([status, text]).toEqual([200, ""]);
    expect(headers.get("etag")).toBeTruthy();
  });

  it("turns the error of a subgraph into a problem without internal details", async () => {
    const { status, json, headers } = await facade.call("GET /v1/templates/tpl_2?x=1");
    expect(status).toBe(404);
    expect(headers.get("content-type")).toBe("application/problem+json");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(json).toEqual({
      type: "/problems/template-not-found",
      title: "Template not found",
      status: 404,
      detail: "The template does not exist, or it belongs to another tenant.",
      instance: "/v1/templates/tpl_2",
      code: "TEMPLATE_NOT_FOUND",
      traceId: headers.get("x-trace-id"),
    });
  });

  it("hides the message of a bug", async () => {
    const { status, json, text } = await facade.call("GET /v1/templates/tpl_boom");
    expect([status, json["code"]]).toEqual([500, "INTERNAL"]);
    expect(text).not.toContain("secret");
  });

  it("has the status of the code, not of the subgraph", async () => {
    expect((await facade.call("GET /v1/templates/tpl_half")).status).toBe(504);
  });
});

describe("POST /v1/templates", () => {
  it("answers 201 with Location and no-store", async () => {
    const { status, json, headers } = await facade.call("POST /v1/templates", { body: { name: "api" } });
    expect(status).toBe(201);
    expect(json).toEqual({ templateId: "tpl_1", name: "api", category: null, status: "Active", createdAt });
    expect(headers.get("location")).toBe("/v1/templates/tpl_1");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("idempotent-replayed")).toBeNull();
  });

  it("prunes unknown members and treats null as absent", async () => {
    const raw = '{"name":"api","title":null,"later":{"a":1},"__proto__":{"tags":["x"]},"constructor":{"prototype":1}}';
    const { status } = await facade.call("POST /v1/templates", { raw });
    expect(status).toBe(201);
    expect(seenRequests[0]?.variables).toEqual({ input: { name: "api" } });
    expect(({} as Record<string, unknown>)["tags"]).toBeUndefined();
  });

  it("names every member that is not valid", async () => {
    const body = { title: "x".repeat(201), tags: ["fine", 7], category: 1 };
    const { status, json } = await facade.call("POST /v1/templates", { body });
    expect([status, json["code"]]).toEqual([400, "VALIDATION_FAILED"]);
    const reportedErrors = (json["errors"] as { pointer: string; code: string }[]).map(
      ({ pointer, code }) => `${pointer} ${code}`,
    );
    expect(reportedErrors.sort()).toEqual(["/category TYPE", "/name REQUIRED", "/tags/1 TYPE", "/title TOO_LONG"]);
    expect(seenRequests).toEqual([]);
  });

  it("names the required members when there is no body", async () => {
    for (const headers of [{}, { "content-type": "application/json" }]) {
      const { status, json } = await facade.call("POST /v1/templates", { headers });
      expect([status, json["errors"]?.[0]?.pointer]).toEqual([400, "/name"]);
    }
  });

  it("passes the Idempotency-Key on and marks a stored answer", async () => {
    const headers = { "idempotency-key": "abc" };
    const { status, headers: answer } = await facade.call("POST /v1/templates", { body: { name: "replay" }, headers });
    expect([status, answer.get("idempotent-replayed")]).toEqual([201, "true"]);
    expect(seenRequests[0]?.context["idempotencyKey"]).toBe("abc");
  });

  it("refuses a malformed Idempotency-Key", async () => {
    for (const key of ["", "a b", "x".repeat(256), "one, two"]) {
      const answer = await facade.call("POST /v1/templates", {
        body: { name: "a" },
        headers: { "idempotency-key": key },
      });
      expect([answer.status, answer.json["code"]]).toEqual([400, "IDEMPOTENCY_KEY_INVALID"]);
    }
  });

  it("keeps additional members of a problem", async () => {
    const { status, json } = await facade.call("POST /v1/templates", { body: { name: "taken" } });
    expect([status, json["code"], json["existing"]]).toEqual([409, "TEMPLATE_EXISTS", "tpl_1"]);
    expect(json).not.toHaveProperty("serviceName");
  });
});

describe("executions", () => {
  const body = {
    templateVersionId: "tpv_1",
    parameters: { unknownToUs: { deep: [1, null] }, __proto__x: 1 },
    target: { repository: "acme/orders", extra: true },
  };

  it("POST execute answers 202 with the address of the poll", async () => {
    const { status, headers, json } = await facade.call("POST /v1/templates/tpl_1/execute", { body });
    expect(status).toBe(202);
    expect(headers.get("location")).toBe("/v1/templates/tpl_1/executions/exe_1");
    expect(headers.get("retry-after")).toBe("1");
    expect(json).toEqual({ executionId: "exe_1", status: "Requested", scaffoldOutputId: null });
  });

  it("keeps JSON scalars whole and prunes around them", async () => {
    await facade.call("POST /v1/templates/tpl_1/execute", { body });
    expect(seenRequests[0]?.variables).toEqual({
      templateId: "tpl_1",
      input: { templateVersionId: "tpv_1", parameters: body.parameters, target: { repository: "acme/orders" } },
    });
  });

  it("the poll has Retry-After only while the work is not complete", async () => {
    const running = await facade.call("GET /v1/templates/tpl_1/executions/exe_1");
    expect([running.status, running.headers.get("retry-after"), running.json["status"]]).toEqual([200, "1", "Running"]);
    const doneAnswer = await facade.call("GET /v1/templates/tpl_1/executions/exe_done");
    expect(doneAnswer.headers.get("retry-after")).toBeNull();
  });
});

describe("lists", () => {
  const list = (query: string) => facade.call(`GET /v1/tenants${query}`, { token: "admin" });

  it("read limit, cursor and filters by name, with their aliases", async () => {
    await list("?limit=10&cursor=abc&status=Active");
    await list("?pageSize=5000&pageToken=abc");
    await list("");
    expect(seenRequests.map(({ variables }) => variables)).toEqual([
      { first: 10, after: "abc", filter: { status: "Active" } },
      { first: 200, after: "abc", filter: {} },
      { filter: {} },
    ]);
  });

  it("refuse a filter that they do not have, instead of listing everything", async () => {
    const { status, json } = await list("?state=Active&limit=10");
    expect([status, json["code"], json["errors"]]).toEqual([
      400,
      "VALIDATION_FAILED",
      [{ pointer: "/state", code: "UNKNOWN_VALUE", detail: expect.stringContaining("no such query parameter") }],
    ]);
    expect(seenRequests).toEqual([]);
  });

  it("link to the next page", async () => {
    const { headers } = await list("?limit=10");
    expect(headers.get("link")).toBe('</v1/tenants?limit=10&cursor=next%2Fcursor>; rel="next"');
  });

  it("refuse a limit that is not valid and repeated parameters", async () => {
    for (const [query, code] of [
      ["?limit=0", "OUT_OF_RANGE"],
      ["?limit=-1", "OUT_OF_RANGE"],
      ["?limit=ten", "TYPE"],
      ["?limit=1&limit=2", "DUPLICATE"],
      ["?slug=%00", "FORMAT"],
      [`?slug=${"x".repeat(2049)}`, "TOO_LONG"],
    ]) {
      const { status, json } = await list(query ?? "");
      expect([query, status, json["errors"]?.[0]?.code]).toEqual([query, 400, code]);
    }
  });
});

describe("versions", () => {
  const provider = { key: "mail", displayName: "Mail", category: "Communication", authModel: "ApiKey" };
  const vendor = "application/vnd.service.integration.v1+json";

  it("POST /integrations/providers answers in the requested media type", async () => {
    for (const [accept, type] of [
      ["*/*", "application/json; charset=utf-8"],
      [vendor, vendor],
      [`application/json;q=0.5, ${vendor}`, vendor],
    ] as const) {
      const answer = await facade.call("POST /integrations/providers", { body: provider, headers: { accept } });
      expect([accept, answer.status, answer.headers.get("content-type")]).toEqual([accept, 201, type]);
      expect(answer.headers.get("vary")).toBe("Accept");
    }
  });

  it("POST /integrations/providers accepts the vendor media type for the body, the catalog does not", async () => {
    const headers = { "content-type": vendor };
    expect((await facade.call("POST /integrations/providers", { body: provider, headers })).status).toBe(201);
    expect((await facade.call("POST /v1/templates", { body: { name: "a" }, headers })).status).toBe(415);
  });

  it("POST /integrations/providers returns 406 for unknown versions", async () => {
    const headers = { accept: "application/vnd.service.integration.v9+json" };
    const { status, json } = await facade.call("POST /integrations/providers", { body: provider, headers });
    expect([status, json["code"]]).toEqual([406, "NOT_ACCEPTABLE"]);
    expect(json["supported"]).toContain(vendor);
  });

  it("GET /v1/tenants names its versions and refuses others", async () => {
    const fine = await facade.call("GET /v1/tenants", { token: "admin", headers: { "api-version": "1.0" } });
    expect([fine.status, fine.headers.get("api-version"), fine.headers.get("api-supported-versions")]).toEqual([
      200,
      "1.0",
      "1.0",
    ]);
    const wrong = await facade.call("GET /v1/tenants", { token: "admin", headers: { "api-version": "2.0" } });
    expect([wrong.status, wrong.json["code"], wrong.headers.get("api-supported-versions")]).toEqual([
      400,
      "UNSUPPORTED_API_VERSION",
      "1.0",
    ]);
  });
});

describe("surfaces", () => {
  it("serve provisioning on the internal listener only, with and without /v1", async () => {
    for (const path of ["/tenants/ten_1/provision", "/v1/tenants/ten_1/provision"]) {
      const inside = await facade.call(`POST ${path}`, { token: "admin", internal: true });
      expect([inside.status, inside.json]).toEqual([
        202,
        { tenantId: "ten_1", status: "Provisioning", runId: "run_1" },
      ]);
      for (const method of ["POST", "GET", "OPTIONS"])
        expect((await facade.call(`${method} ${path}`, { token: "admin" })).status).toBe(404);
    }
  });

  it("protect the internal listener by the same token", async () => {
    const answer = await facade.call("POST /tenants/ten_1/provision", { token: undefined, internal: true });
    expect([answer.status, answer.json["code"]]).toEqual([401, "UNAUTHENTICATED"]);
  });

  it("pass requests of the authorization server and of git on unchanged", async () => {
    for (const path of [
      "/connect/token",
      "/.well-known/jwks",
      "/v1/connect/token",
      "/v1/.well-known/openid-configuration",
    ]) {
      const { text, headers } = await facade.call(`POST ${path}?a=b`, { raw: "{" });
      expect(text).toBe(`authorization ${path}?a=b`);
      expect(headers.get("x-trace-id")).toMatch(/^[0-9a-f]{32}$/);
    }
    expect((await facade.call("GET /git/acme/a/b.git/info/refs")).text).toBe("git /git/acme/a/b.git/info/refs");
  });

  it.each([
    [new DomainError("RATE_LIMITED", { retryAfterSeconds: 10 }), 429, "10"],
    [new DomainError("UNAVAILABLE"), 503, "1"],
  ])("refuse a websocket that the gateway does not accept: %s", async (refusal, status, retryAfter) => {
    const upgrade = () => {
      throw refusal;
    };
    const full = await startWith({}, { ports: { graphql: { handle: async () => undefined, upgrade } } });
    try {
      const handshake = "GET /graphql HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";
      const answer = await sendBytes(full.publicUrl, handshake);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} .*retry-after: ${retryAfter}\r\n`, "s"));
    } finally {
      await full.close();
    }
  });

  it("tell an operation that its caller has closed the connection", async () => {
    const contexts: Pick<RequestContext, "signal">[] = [];
    const hung = await startWith({
      library: (_, context) => {
        contexts.push(context as RequestContext);
        return new Promise(() => undefined);
      },
    });
    try {
      const call = request(`${hung.publicUrl}/v1/libraries/lib_1`, { headers: { authorization: "Bearer good" } });
      call.on("error", () => undefined).end();
      const within = async (condition: () => boolean | undefined) => {
        const deadline = Date.now() + 180_000;
        while (!condition() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
      };
      await within(() => contexts.length > 0);
      expect(contexts[0]?.signal?.aborted).toBe(false);
      call.destroy();
      await within(() => contexts[0]?.signal?.aborted);
      expect(contexts[0]?.signal?.aborted).toBe(true);
    } finally {
      await hung.close();
    }
  });

  it("pass /graphql to the gateway with a parsed body", async () => {
    expect((await facade.call("POST /graphql", { body: { query: "{ a }" } })).json).toEqual({
      got: { query: "{ a }" },
    });
    expect((await facade.call("GET /graphql")).json).toEqual({ got: null });
  });
});
