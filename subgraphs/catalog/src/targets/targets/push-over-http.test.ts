import { spawnSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { BareRepository } from "../../git/git/bare-repository.fixture.js";
import { git } from "../../git/git/git.js";
import { gitBackend } from "../../git/git/git-backend.fixture.js";
import type { SourcePolicy } from "../../git/git/remote-policy.js";
import { openTarget, pushScaffold, type ScaffoldPush } from "./push-scaffold.js";

const policy: SourcePolicy = { allowFile: false, fileRoots: [], allowLoopback: true, allowHosts: [] };
const secret = `canary-${process.pid}-secret`;
const credential = { kind: "login" as const, username: "robot", password: secret };

/** A foreign git server: takes pushes with one user and password, and can be made to misbehave. */
describe("a target over http", () => {
  let target: BareRepository;
  let server: Server;
  let url: string;
  let misbehave: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;

  const cgi = (request: IncomingMessage, response: ServerResponse) => gitBackend(target.root, request, response);

  beforeEach(async () => {
    target = await BareRepository.create();
    misbehave = undefined;
    const expectedHeader = `Basic ${Buffer.from(`robot:${secret}`).toString("base64")}`;
    server = createServer((request, response) => {
      if (misbehave?.(request, response)) return;
      if (request.headers.authorization === expectedHeader) cgi(request, response);
      else response.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/repository.git`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await target.remove();
  });

  const scaffold = (paths: string[], change: Partial<ScaffoldPush> = {}): ScaffoldPush => ({
    url,
    branch: "main",
    files: new Map(paths.map((path) => [path, { bytes: Buffer.from(path.repeat(100)), executable: false }])),
    commit: {
      message: "Scaffold\n\nExecution-Id: exe_1",
      authorName: "Bot",
      authorEmail: "bot@localhost",
      date: new Date(0),
    },
    onConflict: "fail",
    credential,
    ...change,
  });

  it("takes pushes with a credential: new repository, existing branch, many files", async () => {
    const first = await pushScaffold(scaffold(["a.txt"]), policy);
    expect(await target.head("main")).toBe(first.commitSha);
    const many = Array.from({ length: 300 }, (_, index) => `d/f${index}.txt`);
    const other = { commit: { ...scaffold([]).commit, message: "more" } };
    const second = await pushScaffold(scaffold(many, other), policy);
    expect(await target.text("rev-parse", "main^")).toBe(first.commitSha);
    expect(second.filesCreated).toBe(300);
  });

  it("reads one file of a repository without bringing the others", async () => {
    const noise = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, `${index}`.repeat(1000)]));
    await target.commit("main", { ...noise, "props.xml": "<a/>" });
    await target.run(["config", "uploadpack.allowFilter", "true"]);
    const open = await openTarget({ url, branch: "main", credential }, policy);
    try {
      expect(Buffer.from((await open.file("props.xml")) ?? []).toString()).toBe("<a/>");
      await open.push(scaffold(["a.txt"]));
    } finally {
      await open.close();
    }
    expect(Object.keys(await target.files("main"))).toHaveLength(52);
  });

  it("merges with an old scaffold, bringing only the files that both sides changed", async () => {
    await target.run(["config", "uploadpack.allowFilter", "true"]);
    const lines = (change: Record<number, string>) =>
      Array.from({ length: 9 }, (_, index) => `${change[index] ?? index}\n`).join("");
    const tree = (content: Record<string, string>) =>
      new Map(Object.entries(content).map(([path, text]) => [path, { bytes: Buffer.from(text), executable: false }]));
    const first = { "a.txt": lines({}), "b.txt": lines({}), "kept.txt": "1" };
    await pushScaffold(scaffold([], { files: tree(first) }), policy);
    const noise = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`n${index}`, `${index}`.repeat(1000)]));
    const editedFiles = { "a.txt": lines({ 0: "mine" }), "b.txt": lines({ 0: "own" }), "kept.txt": "mine", ...noise };
    for (let index = 0; index < 22; index++) await target.commit("main", { ...editedFiles, counter: `${index}` });
    const open = await openTarget({ url, branch: "main", credential }, policy);
    try {
      const change: Partial<ScaffoldPush> = {
        files: tree({ ...first, "a.txt": lines({ 8: "new" }), "b.txt": lines({ 8: "new" }) }),
        commit: { ...scaffold([]).commit, message: "Scaffold\n\nExecution-Id: exe_2" },
        onConflict: "merge",
        mergeBase: async (executionId) => (executionId === "exe_1" ? tree(first) : undefined),
      };
      const pushResult = await open.push(scaffold([], change));
      expect(pushResult.files.map(({ path, change: changeName }) => [path, changeName])).toEqual([
        ["a.txt", "Updated"],
        ["b.txt", "Updated"],
        ["kept.txt", "Unchanged"],
      ]);
      const folder = open.folder;
      const blobs = await git(["cat-file", "--batch-all-objects", "--batch-check=%(objecttype)"], {
        cwd: folder,
        env: { GIT_DIR: folder },
      });
      // three from the target, two merged ones
      expect(blobs.toString().split("blob").length - 1).toBe(5);
    } finally {
      await open.close();
    }
    expect((await target.files("main"))["a.txt"]).toBe(`100644 ${lines({ 0: "mine", 8: "new" })}`);
    expect(Object.keys(await target.files("main"))).toHaveLength(13);
    // some hundred git processes
  });

  it("never shows the credential in a command line or in a file", async () => {
    const requests: string[] = [];
    let files = "";
    misbehave = () => {
      requests.push(spawnSync("ps", ["-eo", "args"]).stdout.toString());
      return false;
    };
    const open = await openTarget({ url, branch: "main", credential }, policy);
    try {
      const folder = open.folder;
      const names = await readdir(folder, { recursive: true, withFileTypes: true });
      for (const entry of names)
        if (entry.isFile()) files += await readFile(`${entry.parentPath}/${entry.name}`, "latin1");
      await open.push(scaffold(["a.txt"]));
    } finally {
      await open.close();
    }
    expect(requests.join("")).toContain("git");
    expect(requests.join("")).not.toContain(secret);
    expect(files).not.toContain(secret);
  });

  it.each([
    ["without a credential", { credential: undefined }],
    ["with a wrong one", { credential: { kind: "login", username: "robot", password: "wrong" } }],
  ])("is forbidden %s", async (_, change) => {
    const attempt = pushScaffold({ ...scaffold(["a.txt"]), ...(change as Partial<ScaffoldPush>) }, policy);
    await expect(attempt).rejects.toMatchObject({
      code: "TARGET_FORBIDDEN",
      message: expect.not.stringContaining("wrong"),
    });
  });

  it.each([
    [403, "TARGET_FORBIDDEN"],
    [404, "TARGET_FORBIDDEN"],
    [500, "TARGET_UNAVAILABLE"],
    [503, "TARGET_UNAVAILABLE"],
    [302, "TARGET_UNAVAILABLE"],
  ])("that answers %d is %s", async (status, code) => {
    misbehave = (_, response) => {
      response.writeHead(status, { location: "http://127.0.0.1:9/" }).end();
      return true;
    };
    await expect(pushScaffold(scaffold(["a.txt"]), policy)).rejects.toMatchObject({ code });
  });

  it("that takes the push and then breaks is found to hold the commit", async () => {
    await target.commit("main", { "x.txt": "x" });
    misbehave = (request, response) => {
      if (request.method !== "POST" || !request.url?.endsWith("git-receive-pack")) return false;
      misbehave = undefined;
      const lostResponse = Object.create(response, {
        writeHead: { value: () => lostResponse },
        end: { value: () => response.destroy() },
      }) as ServerResponse;
      if (request.headers.authorization === undefined) return false;
      cgi(request, lostResponse);
      return true;
    };
    const pushResult = await pushScaffold(scaffold(["a.txt"]), policy);
    expect(await target.head("main")).toBe(pushResult.commitSha);
    expect(await target.text("rev-list", "--count", "main")).toBe("2");
  });

  it("that never answers is unavailable in time", async () => {
    misbehave = () => true;
    const attempt = pushScaffold(scaffold(["a.txt"]), policy, { timeoutMs: 300 });
    await expect(attempt).rejects.toMatchObject({
      code: "TARGET_UNAVAILABLE",
      message: expect.stringMatching(/in time/),
    });
  });
});
