import { connect } from "node:net";
import { rawCall, type Started, sendBytes, startWith } from "../facade.fixture.js";

let facade: Started;

beforeAll(async () => {
  const createdAt = "2026-01-01T00:00:00.000Z";
  facade = await startWith({
    template: ({ templateId }) => ({ templateId, name: "api", status: "Active", allVersions: [] }),
    registerTemplate: ({ input }) => ({ ...(input as object), templateId: "tpl_1", status: "Active", createdAt }),
    requestExecution: () => ({ executionId: "exe_1", status: "Requested" }),
  });
});

afterAll(() => facade.close());

const post = (raw: string | Buffer, headers: Record<string, string> = {}) =>
  facade.call("POST /v1/templates", { raw, headers });

const outcome = async (answer: Promise<{ status: number; json: Record<string, unknown>; headers: Headers }>) => {
  const { status, json, headers } = await answer;
  expect(headers.get("content-type")).toBe("application/problem+json");
  expect(json["traceId"]).toBe(headers.get("x-trace-id"));
  expect(json["status"]).toBe(status);
  return [status, json["code"]];
};

describe("credentials", () => {
  const at = "GET /v1/templates/tpl_1";
  const withAuthorization = (authorization: string) => facade.call(at, { headers: { authorization } });

  it("are a bearer token, with the scheme in any case", async () => {
    expect((await withAuthorization("bEARER   good")).status).toBe(200);
    for (const wrong of ["Basic Z29vZA==", "Bearer", "Bearer ", "good"])
      expect([wrong, await outcome(withAuthorization(wrong))]).toEqual([wrong, [401, "UNAUTHENTICATED"]]);
    for (const wrong of ["Bearer a b", "Bearer a\tb", "Bearer nonsense"])
      expect([wrong, await outcome(withAuthorization(wrong))]).toEqual([wrong, [401, "TOKEN_INVALID"]]);
  });

  it("that have expired are challenged with the reason", async () => {
    const answer = facade.call(at, { token: "expired" });
    expect(await outcome(answer)).toEqual([401, "TOKEN_EXPIRED"]);
    expect((await answer).headers.get("www-authenticate")).toContain('error="invalid_token"');
  });

  it("of a tenant do not reach the tenants resource", async () => {
    expect(await outcome(facade.call("GET /v1/tenants"))).toEqual([403, "PLATFORM_ADMIN_REQUIRED"]);
  });

  it("given twice are refused", async () => {
    const url = `${facade.publicUrl}/v1/templates/tpl_1`;
    const twice = ["authorization", "Bearer good", "Authorization", "Bearer good", "host", "x"];
    expect((await rawCall(url, twice)).status).toBe(400);
    expect((await withAuthorization("Bearer good, Bearer good")).status).toBe(400);
  });
});

describe("X-Tenant-Id", () => {
  const at = "GET /v1/templates/tpl_1";
  const ask = (value: string, token = "good") => facade.call(at, { token, headers: { "x-tenant-id": value } });

  it("must equal the claim or be absent", async () => {
    expect((await ask("ten_00000000000000000000000000")).status).toBe(200);
    expect(await outcome(ask("ten_00000000000000000000000001"))).toEqual([403, "TENANT_MISMATCH"]);
    expect(await outcome(ask(""))).toEqual([403, "TENANT_MISMATCH"]);
    expect(await outcome(ask("ten_00000000000000000000000000", "admin"))).toEqual([403, "TENANT_MISMATCH"]);
  });

  it("must have one value", async () => {
    expect(await outcome(ask("ten_00000000000000000000000000, ten_00000000000000000000000000"))).toEqual([
      400,
      "VALIDATION_FAILED",
    ]);
  });
});

describe("bodies", () => {
  it("must be JSON objects", async () => {
    for (const raw of [
      "{",
      "",
      " ",
      "{'name':1}",
      '{"name":"a"} x',
      "NaN",
      '{"name":"a",}',
      "[1",
      '{"a":1e}',
      "\u0000",
    ]) {
      const [status, code] = await outcome(post(raw));
      expect([raw, status, raw === "" ? "VALIDATION_FAILED" : "MALFORMED_JSON"]).toEqual([raw, 400, code]);
    }
    for (const raw of ["null", "[]", '"text"', "1", "true", '[{"name":"a"}]'])
      expect([raw, await outcome(post(raw))]).toEqual([raw, [400, "VALIDATION_FAILED"]]);
  });

  it("must be UTF-8, with or without a byte order mark", async () => {
    expect(await outcome(post(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])))).toEqual([400, "MALFORMED_JSON"]);
    expect(await outcome(post(Buffer.from('{"name":"a"}', "utf16le")))).toEqual([400, "MALFORMED_JSON"]);
    expect((await post(Buffer.from('\ufeff{"name":"größe 🚀"}'))).json["name"]).toBe("größe 🚀");
  });

  it("must contain text that can be stored", async () => {
    for (const raw of [
      String.raw`{"name":"a\u0000b"}`,
      String.raw`{"name":"\ud800"}`,
      String.raw`{"name":"a","tags":["\uDFFF"]}`,
      String.raw`{"name":"a","x":{"k\u0000":1}}`,
    ]) {
      const { status, json } = await post(raw);
      expect([raw, status, json["code"], json["errors"]?.[0]?.code]).toEqual([raw, 400, "VALIDATION_FAILED", "FORMAT"]);
    }
    for (const fine of [
      String.raw`{"name":"\ud83d\ude80"}`,
      String.raw`{"name":"\\u0000"}`,
      String.raw`{"name":"\u00e4"}`,
    ])
      expect([fine, (await post(fine)).status]).toEqual([fine, 201]);
  });

  it("may have at most 64 levels", async () => {
    const nestedJson = (levels: number) => `{"name":"a","x":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    expect((await post(nestedJson(63))).status).toBe(201);
    expect(await outcome(post(nestedJson(64)))).toEqual([400, "MALFORMED_JSON"]);
    expect(await outcome(post("[".repeat(500_000)))).toEqual([400, "MALFORMED_JSON"]);
    expect((await post(`{"name":"${"[".repeat(100)}"}`)).status).toBe(201);
  });

  it("may have at most 20,000 members", async () => {
    const withMembers = (count: number) =>
      JSON.stringify({ name: "a", x: Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at])) });
    expect((await post(withMembers(19_998))).status).toBe(201);
    const { status, json } = await post(withMembers(19_999));
    expect([status, json["code"], json["errors"]]).toEqual([
      413,
      "PAYLOAD_TOO_LARGE",
      [{ pointer: "", code: "TOO_LONG", detail: "Must have at most 20,000 members in the whole JSON document." }],
    ]);
  });

  it("may have at most 1 MiB", async () => {
    const over = `{"name":"${"x".repeat(1024 * 1024)}"}`;
    expect(await outcome(post(over))).toEqual([413, "PAYLOAD_TOO_LARGE"]);
    const under = `{"name":"a","more":"${"x".repeat(1024 * 1024 - 100)}"}`;
    expect((await post(under)).status).toBe(201);
  });

  it("may have at most 1 MiB when they arrive in chunks", async () => {
    const piece = "x".repeat(64 * 1024);
    const chunk = `10000\r\n${piece}\r\n`;
    const answer = await sendBytes(
      facade.publicUrl,
      `POST /v1/templates HTTP/1.1\r\nhost: x\r\nauthorization: Bearer good\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n${chunk.repeat(20)}0\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toContain("PAYLOAD_TOO_LARGE");
  });

  it("are application/json, unencoded", async () => {
    for (const type of [
      "text/plain",
      "application/xml",
      "application/json, text/plain",
      "application/json-patch+json",
      "x",
      "multipart/form-data; boundary=a",
      "application/json; charset=utf-16",
    ])
      expect([type, await outcome(post('{"name":"a"}', { "content-type": type }))]).toEqual([
        type,
        [415, "UNSUPPORTED_MEDIA_TYPE"],
      ]);
    expect(await outcome(post('{"name":"a"}', { "content-encoding": "gzip" }))).toEqual([
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ]);
    for (const type of ["application/json; charset=utf-8", "APPLICATION/JSON", 'application/json;charset="UTF-8"'])
      expect([type, (await post('{"name":"a"}', { "content-type": type })).status]).toEqual([type, 201]);
  });

  it("without a media type are refused", async () => {
    const head = "host: x\r\nauthorization: Bearer good\r\ncontent-length: 2\r\nconnection: close";
    const answer = await sendBytes(facade.publicUrl, `POST /v1/templates HTTP/1.1\r\n${head}\r\n\r\n{}`);
    expect(answer).toMatch(/^HTTP\/1.1 415 /);
  });

  it("are not read from callers without the scope", async () => {
    const raw = "x".repeat(2 * 1024 * 1024);
    expect((await facade.call("POST /v1/templates", { raw, token: "scopeless" })).status).toBe(403);
    expect((await facade.call("POST /v1/templates", { raw, token: undefined })).status).toBe(401);
  });
});

describe("addresses and methods", () => {
  it("that do not exist are 404, before the body is read", async () => {
    for (const at of [
      "GET /v1",
      "GET /v2/templates/tpl_1",
      "POST /v1/template",
      "GET /v1/templates/",
      "GET /v1/templates/a/b/c/d",
    ])
      expect([at, await outcome(facade.call(at))]).toEqual([at, [404, "NOT_FOUND"]]);
    expect(await outcome(facade.call("POST /nowhere", { raw: "{" }))).toEqual([404, "NOT_FOUND"]);
    expect(await outcome(facade.call("GET /metrics"))).toEqual([404, "NOT_FOUND"]);
  });

  it("answer 405 with Allow to other methods, also to methods that fastify does not support", async () => {
    for (const method of ["PUT", "DELETE", "PATCH", "PROPFIND"]) {
      const answer = facade.call(`${method} /v1/templates/tpl_1`);
      expect([method, await outcome(answer)]).toEqual([method, [405, "METHOD_NOT_ALLOWED"]]);
      expect((await answer).headers.get("allow")).toBe("GET, HEAD, OPTIONS");
    }
    const answer = await facade.call("GET /v1/templates");
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "OPTIONS, POST"]);
  });

  it("answer OPTIONS with Allow", async () => {
    const { status, headers, text } = await facade.call("OPTIONS /v1/templates", { token: undefined });
    expect([status, headers.get("allow"), text]).toEqual([204, "OPTIONS, POST", ""]);
    expect(await sendBytes(facade.publicUrl, "OPTIONS * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")).toMatch(
      /^HTTP\/1.1 204 /,
    );
  });

  it("that are malformed are 400", async () => {
    for (const path of ["/v1/templates/%", "/v1/templates/%ff", "/v1/templates/%zz"])
      expect([path, await outcome(facade.call(`GET ${path}`))]).toEqual([path, [400, "VALIDATION_FAILED"]]);
    expect((await facade.call("GET /v1/templates/%00")).status).toBe(200);
  });

  it("that are too long are 414, headers that are too large 431", async () => {
    expect(await outcome(facade.call(`GET /v1/templates/${"x".repeat(8200)}`))).toEqual([414, "URI_TOO_LONG"]);
    expect((await facade.call(`GET /v1/templates/${"x".repeat(2000)}`)).status).toBe(200);
    const answer = await sendBytes(
      facade.publicUrl,
      `GET / HTTP/1.1\r\nhost: x\r\nx-big: ${"x".repeat(20_000)}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 431 /);
    expect(answer).toContain("application/problem+json");
  });

  it("may come in absolute form", async () => {
    const head = "host: x\r\nauthorization: Bearer good\r\nconnection: close\r\n\r\n";
    expect(await sendBytes(facade.publicUrl, `GET http://x/v1/templates/tpl_1 HTTP/1.1\r\n${head}`)).toMatch(
      /^HTTP\/1.1 200 /,
    );
    expect(await sendBytes(facade.publicUrl, `GET http://x/git/a HTTP/1.1\r\n${head}`)).toContain("git /git/a");
  });

  it("refuse a websocket at all paths except /graphql", async () => {
    const upgrade = (path: string) =>
      sendBytes(
        facade.publicUrl,
        `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
      );
    expect(await upgrade("/v1/templates/a")).toMatch(/^HTTP\/1.1 404 .*NOT_FOUND/s);
    expect(await upgrade("/graphql?x=1")).toMatch(/^HTTP\/1.1 101 /);
  });
});

describe("requests that Node refuses", () => {
  const head = "POST /v1/templates HTTP/1.1\r\nhost: x\r\nauthorization: Bearer good\r\ncontent-type: application/json";
  const chunkedHead = `${head}\r\ntransfer-encoding: chunked\r\n\r\n`;
  const upgrade = "connection: upgrade\r\nupgrade: websocket";

  const refusals: readonly (readonly [name: string, bytes: string, status: number, code: string])[] = [
    ["no HTTP", "NONSENSE\r\n\r\n", 400, "VALIDATION_FAILED"],
    ["a method that HTTP does not have", "BREW / HTTP/1.1\r\nhost: x\r\n\r\n", 400, "VALIDATION_FAILED"],
    ["a version that HTTP does not have", "GET / HTTP/7.0\r\nhost: x\r\n\r\n", 400, "VALIDATION_FAILED"],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "VALIDATION_FAILED"],
    ["no Host", "GET /livez HTTP/1.1\r\nconnection: close\r\n\r\n", 400, "VALIDATION_FAILED"],
    ["no Host before an upgrade", `GET /graphql HTTP/1.1\r\n${upgrade}\r\n\r\n`, 400, "VALIDATION_FAILED"],
    ["two Hosts", "GET /livez HTTP/1.1\r\nhost: x\r\nHost: y\r\nconnection: close\r\n\r\n", 400, "VALIDATION_FAILED"],
    [
      "two lengths",
      `${head}\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      "VALIDATION_FAILED",
    ],
    ["a header without a name", "GET / HTTP/1.1\r\nhost: x\r\n: y\r\n\r\n", 400, "VALIDATION_FAILED"],
    ["a chunk without a length", `${chunkedHead}z\r\n{}\r\n0\r\n\r\n`, 400, "VALIDATION_FAILED"],
    ["a chunk with a long extension", `${chunkedHead}2;${"x".repeat(20_000)}\r\n{}\r\n`, 413, "PAYLOAD_TOO_LARGE"],
    ["large headers", `GET / HTTP/1.1\r\nhost: x\r\nx-big: ${"x".repeat(20_000)}\r\n\r\n`, 431, "HEADERS_TOO_LARGE"],
    [
      "an unknown expectation",
      `${head}\r\nexpect: tea\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}`,
      417,
      "VALIDATION_FAILED",
    ],
    ["a tunnel", "CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n", 501, "NOT_SUPPORTED"],
  ];

  it.each(refusals)("are answered with a problem: %s", async (_name, bytes, status, code) => {
    const answer = await sendBytes(facade.publicUrl, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer.toLowerCase()).toContain("content-type: application/problem+json");
    const body = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4)) as Record<string, unknown>;
    expect([body["status"], body["code"]]).toEqual([status, code]);
    expect(body["traceId"]).toMatch(/^[0-9a-f]{32}$/);
  });

  it("need no Host in HTTP/1.0", async () => {
    expect(await sendBytes(facade.publicUrl, "GET /livez HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1.1 200 /);
  });

  it("are refused after the answers to the requests before them", async () => {
    const get = "GET /v1/templates/tpl_1 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer good\r\n\r\n";
    const answer = await sendBytes(facade.publicUrl, `${get}${get}NONSENSE\r\n\r\n`);
    expect([...answer.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)).toEqual(["200", "200", "400"]);
  });

  it("do not keep a connection open, also if the client does not close it", async () => {
    const { hostname, port } = new URL(facade.publicUrl);
    for (const [, bytes] of refusals.filter(([name]) =>
      ["no HTTP", "no Host before an upgrade", "a tunnel"].includes(name),
    )) {
      const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
      socket.write(bytes);
      socket.resume();
      await new Promise((resolve) => socket.once("end", resolve));
      const cut = new Promise((resolve) => socket.once("error", resolve));
      const timer = setInterval(() => socket.write("x"), 100);
      await cut;
      clearInterval(timer);
      socket.destroy();
    }
  });
});
