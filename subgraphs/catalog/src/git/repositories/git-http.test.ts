import { execFile } from "node:child_process";
import { mkdtemp, readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { parseSourceRef } from "../../sources/sources/references/source-ref.js";
import { fetchSource } from "../../sources/sources/repositories/fetch-source.js";
import { resolveSource } from "../../sources/sources/repositories/resolve-source.js";
import { pushScaffold } from "../../targets/targets/push-scaffold.js";
import { git } from "../git/git.js";
import { createGitHttpHandler } from "./git-http.js";
import { readGitPath, readGitToken } from "./git-request.js";
import type { RepositoryStore } from "./port/repository-store.js";
import { aPlace, pushTexts, RepositoryStores } from "./repository-stores.fixture.js";

const run = promisify(execFile);
const commit = {
  message: "Scaffold\n\nExecution-Id: exe_1",
  authorName: "B",
  authorEmail: "b@localhost",
  date: new Date(0),
};
const gitEnv = {
  PATH: process.env.PATH,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  HOME: "/nonexistent",
};

let stores: RepositoryStores;

beforeAll(async () => {
  stores = await RepositoryStores.open();
});
afterAll(() => stores.close());

describe("the embedded git store", () => {
  let root: string;
  let tenantId: string;
  let store: RepositoryStore;
  let server: Server;
  let port: number;

  const push = (owner: string, name: string, branch: string, content: Record<string, string>) =>
    pushTexts(store, { tenantId, owner, name }, branch, content);
  const url = (path: string, user = "x:good@") => `http://${user}127.0.0.1:${port}/git/${path}`;
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(url(path, ""), { headers: { authorization: "Bearer good", ...headers } });
  const clone = async (from: string) => {
    const into = await mkdtemp(join(root, "clone-"));
    await run("git", ["clone", "--quiet", from, into], { env: gitEnv });
    return into;
  };

  beforeEach(async () => {
    root = stores.root;
    tenantId = newId("ten");
    store = await stores.inDatabase();
    const handler = createGitHttpHandler(store, {
      authorize: async (request) => {
        const token = readGitToken(request);
        if (token === "good") return { tenantId, tenantSlug: "demo" };
        if (token === "other") return { tenantId: newId("ten"), tenantSlug: "other" };
        if (token === "weak") throw new DomainError("INSUFFICIENT_SCOPE", { requiredScopes: ["templates.read"] });
        return undefined;
      },
    });
    server = createServer((request, response) => {
      const path = readGitPath(request.url ?? "");
      if (path === undefined) response.writeHead(404).end();
      else void handler(request, response, path);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it("makes a repository on its first push, with HEAD on that branch, and serves clones of it", async () => {
    const pushedCommit = await push("acme", "orders", "trunk", { "README.md": "hello", "src/a b.cs": "class A;" });
    const into = await clone(url("demo/acme/orders.git"));
    expect(await readFile(join(into, "README.md"), "utf8")).toBe("hello");
    expect(await readFile(join(into, "src/a b.cs"), "utf8")).toBe("class A;");
    const { stdout } = await run("git", ["-C", into, "log", "-1", "--format=%H %D"], { env: gitEnv });
    expect(stdout.trim()).toBe(`${pushedCommit.commitSha} HEAD -> trunk, origin/trunk, origin/HEAD`);
  });

  it("clones a large repository over chunked requests and fetches later commits", async () => {
    const content = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [`d${index % 20}/f${index}.txt`, `${index} `.repeat(500)]),
    );
    await push("acme", "big", "main", content);
    const into = await clone(url("demo/acme/big.git"));
    await push("acme", "big", "next", { "later.txt": "x" });
    await run("git", ["-C", into, "fetch", "--quiet", "origin"], { env: gitEnv });
    const { stdout } = await run("git", ["-C", into, "ls-tree", "--name-only", "origin/next", "later.txt"], {
      env: gitEnv,
    });
    expect(stdout.trim()).toBe("later.txt");
  });

  it("takes requests that git compressed", async () => {
    await push("acme", "orders", "main", { "a.txt": "1" });
    const answer = await fetch(url("demo/acme/orders.git/git-upload-pack", ""), {
      method: "POST",
      body: gzipSync("0014command=ls-refs\n0000"),
      headers: {
        authorization: "Bearer good",
        "content-type": "application/x-git-upload-pack-request",
        "content-encoding": "gzip",
        "git-protocol": "version=2",
      },
    });
    expect(answer.headers.get("content-type")).toBe("application/x-git-upload-pack-result");
    expect(await answer.text()).toContain("refs/heads/main");
  });

  it("asks for credentials with a challenge that git understands", async () => {
    await push("acme", "orders", "main", { "a.txt": "1" });
    for (const authorization of [
      "",
      "Bearer bad",
      "Basic x",
      `Basic ${btoa("x:")}`,
      `Basic ${btoa("good")}`,
      "Digest good",
    ]) {
      const answer = await get("demo/acme/orders.git/info/refs?service=git-upload-pack", { authorization });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toMatch(/^Basic realm=/);
      expect(answer.headers.get("content-type")).toBe("application/problem+json");
      expect(await answer.json()).toMatchObject({ status: 401, code: "UNAUTHENTICATED", traceId: expect.any(String) });
    }
    await expect(clone(url("demo/acme/orders.git", "x:bad@"))).rejects.toThrow(/Authentication failed/);
    const weak = await get("demo/acme/orders.git/info/refs?service=git-upload-pack", { authorization: "Bearer weak" });
    expect(weak.status).toBe(403);
  });

  it("answers an unknown repository, another tenant's and a bad name with the same bytes", async () => {
    await push("acme", "orders", "main", { "a.txt": "1" });
    const query = "info/refs?service=git-upload-pack";
    const traceparent = "00-11111111111111111111111111111111-2222222222222222-01";
    const attempts: [string, string][] = [
      [`demo/acme/unknown.git/${query}`, "good"],
      [`other/acme/orders.git/${query}`, "good"],
      [`demo/acme/orders.git/${query}`, "other"],
      [`demo/..%2Facme/orders.git/${query}`, "good"],
      [`demo/acme/orders.git/HEAD`, "good"],
      [`demo/acme/orders.git/config`, "good"],
      [`demo/acme/orders.git/objects/info/packs`, "good"],
      [`demo/acme/orders.git/info/refs`, "good"],
    ];
    const bodies = new Set<string>();
    for (const [path, token] of attempts) {
      const answer = await get(path, { authorization: `Bearer ${token}`, traceparent });
      expect([path, answer.status]).toEqual([path, 404]);
      bodies.add(await answer.text());
    }
    expect(bodies.size).toBe(1);
  });

  it("refuses pushes", async () => {
    const { commitSha } = await push("acme", "orders", "main", { "a.txt": "1" });
    for (const path of ["info/refs?service=git-receive-pack", "git-receive-pack"]) {
      expect((await get(`demo/acme/orders.git/${path}`)).status).toBe(403);
    }
    const into = await clone(url("demo/acme/orders.git"));
    await expect(run("git", ["-C", into, "push", "origin", "HEAD:refs/heads/mine"], { env: gitEnv })).rejects.toThrow(
      /remote: The git store of the platform takes no pushes: .* Request an execution/,
    );
    const folder = (await store.find({ tenantId, owner: "acme", name: "orders" })) ?? "";
    expect((await git(["for-each-ref"], { cwd: folder })).toString("utf8")).toBe(
      `${commitSha} commit\trefs/heads/main\n`,
    );
  });

  it("tells a person with git why it refuses, and other clients in a problem", async () => {
    const missing = run("git", ["clone", url("demo/acme/nothing.git"), join(root, "none")], { env: gitEnv });
    await expect(missing).rejects.toThrow(/remote: Not found/);
    const answer = await get("demo/acme/orders.git/info/refs?service=git-receive-pack");
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(await answer.json()).toMatchObject({
      code: "INSUFFICIENT_SCOPE",
      detail: expect.stringMatching(/^The git store of the platform takes no pushes/),
    });
  });

  it("refuses other methods, other media types and nonsense without a 500", async () => {
    await push("acme", "orders", "main", { "a.txt": "1" });
    const post = (path: string, body: string | Uint8Array<ArrayBuffer>, type: string) =>
      fetch(url(path, ""), { method: "POST", body, headers: { authorization: "Bearer good", "content-type": type } });
    const wrongMethod = await post("demo/acme/orders.git/info/refs?service=git-upload-pack", "x", "text/plain");
    expect([wrongMethod.status, wrongMethod.headers.get("allow")]).toEqual([405, "GET"]);
    expect((await get("demo/acme/orders.git/git-upload-pack")).status).toBe(405);
    expect((await post("demo/acme/orders.git/git-upload-pack", "x", "text/plain")).status).toBe(415);
    const nonsense = await post(
      "demo/acme/orders.git/git-upload-pack",
      "nonsense",
      "application/x-git-upload-pack-request",
    );
    await nonsense.arrayBuffer().catch(() => undefined);
    expect(nonsense.status).toBeLessThan(500);
    const huge = await post(
      "demo/acme/orders.git/git-upload-pack",
      new Uint8Array(11 * 1024 * 1024),
      "application/x-git-upload-pack-request",
    ).catch(() => undefined);
    await huge?.arrayBuffer().catch(() => undefined);
    expect((await get("demo/acme/orders.git/info/refs?service=git-upload-pack")).status).toBe(200);
  });

  it("is closed to sources, which carry no credential yet", async () => {
    await push("acme", "templates", "main", { "web/a.txt": "1", "other/b.txt": "2" });
    const policy = { allowFile: false, fileRoots: [], allowLoopback: true, allowHosts: [] };
    const parseResult = parseSourceRef(`git+http://127.0.0.1:${port}/git/demo/acme/templates.git#main:web`, policy);
    if (!("ref" in parseResult) || parseResult.ref.kind !== "git") throw new Error("unreadable");
    await expect(resolveSource(parseResult.ref, policy, { timeoutMs: 60_000 })).rejects.toMatchObject({
      code: "SOURCE_UNAVAILABLE",
      message: expect.stringMatching(/refused access/),
    });
  });
});

describe("git over http without credentials", () => {
  let server: Server;
  let base: string;
  let redirect = false;
  let oldProtocol = false;
  let folder: string;

  beforeEach(async () => {
    redirect = false;
    oldProtocol = false;
    const store = stores.inFolder();
    const place = aPlace({ owner: "o", name: "n" });
    const handler = createGitHttpHandler(store, {
      authorize: async () => ({ tenantId: place.tenantId, tenantSlug: "t" }),
    });
    server = createServer((request, response) => {
      if (redirect) return void response.writeHead(302, { location: "http://127.0.0.1:9/x" }).end();
      const path = readGitPath(request.url ?? "");
      if (path === undefined) return void response.writeHead(404).end();
      if (oldProtocol) delete request.headers["git-protocol"];
      void handler(request, response, path);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/git/t/o/n.git`;
    await pushTexts(store, place, "main", { "web/a.txt": "1", "other/b.txt": "2" });
    folder = (await store.find(place)) ?? "";
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const policy = { allowFile: false, fileRoots: [], allowLoopback: true, allowHosts: [] };
  const options = { timeoutMs: 60_000 };
  const parse = (text: string) => {
    const parseResult = parseSourceRef(text, policy);
    if (!("ref" in parseResult) || parseResult.ref.kind !== "git") throw new Error(JSON.stringify(parseResult));
    return parseResult.ref;
  };

  it.each(["127.0.0.1", "localhost"])("reads a folder of a repository on %s", async (host) => {
    const { resolvedRef } = await resolveSource(
      parse(`git+${base.replace("127.0.0.1", host)}#main:web`),
      policy,
      options,
    );
    const { files } = await fetchSource(parse(resolvedRef), policy, options);
    expect([...files].map(([path, { executable }]) => [path, executable])).toEqual([["a.txt", false]]);
  });

  it("finds an older commit on a server that gives only what refs point at", async () => {
    const pinnedCommit = (await git(["rev-parse", "main"], { cwd: folder })).toString().trim();
    const files = new Map([["later.txt", { bytes: Buffer.from("1"), executable: true }]]);
    const later = { ...commit, message: "later" };
    const location = pathToFileURL(folder).href;
    await pushScaffold(
      { url: location, branch: "main", files, commit: later, onConflict: "fail" },
      { ...policy, allowFile: true },
    );
    await git(["config", "uploadpack.allowAnySHA1InWant", "false"], { cwd: folder });
    oldProtocol = true;
    const fetchedSource = await fetchSource(parse(`git+${base}#${pinnedCommit}:web`), policy, options);
    expect([...fetchedSource.files.keys()]).toEqual(["a.txt"]);
    await expect(fetchSource(parse(`git+${base}#${"1".repeat(40)}`), policy, options)).rejects.toMatchObject({
      code: "SOURCE_UNAVAILABLE",
    });
  });

  it("follows no redirect", async () => {
    redirect = true;
    await expect(resolveSource(parse(`git+${base}`), policy, options)).rejects.toMatchObject({
      code: "SOURCE_UNAVAILABLE",
      message: expect.stringMatching(/redirect/),
    });
  });

  it("pushes nowhere that refuses", async () => {
    const files = new Map([["a.txt", { bytes: Buffer.from("1"), executable: false }]]);
    const other = { ...commit, message: "Scaffold\n\nExecution-Id: exe_2" };
    const attempt = pushScaffold({ url: base, branch: "main", files, commit: other, onConflict: "fail" }, policy);
    await expect(attempt).rejects.toMatchObject({ code: "TARGET_FORBIDDEN" });
  });
});
