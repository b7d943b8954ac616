import { spawnSync } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { BareRepository } from "../../git/git/bare-repository.fixture.js";
import { gitBackend } from "../../git/git/git-backend.fixture.js";
import type { RemoteCredential } from "../../git/git/remote-credential.js";
import type { SourcePolicy } from "../../git/git/remote-policy.js";
import { PackageServer } from "./packages/package-server.fixture.js";
import { nupkgOf } from "./packages/zip.fixture.js";
import { SourceReader } from "./source-reader.js";

const policy: SourcePolicy = { allowFile: true, fileRoots: [], allowLoopback: true, allowHosts: [] };
const secret = `canary-${process.pid}-secret`;
const credential: RemoteCredential = { kind: "login", username: "robot", password: secret };
const expectedHeader = `Basic ${Buffer.from(`robot:${secret}`).toString("base64")}`;

describe("a source that asks for a credential", () => {
  let server: PackageServer;
  let other: PackageServer;
  let reader: SourceReader;
  let logLines: unknown[];

  beforeEach(async () => {
    [server, other] = [await PackageServer.start(), await PackageServer.start()];
    logLines = [];
    const logger = { debug: (...args: unknown[]) => logLines.push(args) };
    const nugetFeeds = [server.feed("feed", { "my.templates/1.0.0": nupkgOf({ "a.txt": "1" }) })];
    reader = new SourceReader({ policy, nugetFeeds, logger: logger as never });
  });
  afterEach(async () => {
    await reader.close();
    await Promise.all([server.stop(), other.stop()]);
  });

  const readSource = (ref: string, change: { credential?: RemoteCredential } = { credential }) =>
    reader.read(ref, { timeoutMs: 60_000, ...change });
  const guardedAnswer = (answer: (request: IncomingMessage, response: ServerResponse) => unknown) => {
    return (request: IncomingMessage, response: ServerResponse) => {
      if (request.headers.authorization === expectedHeader) answer(request, response);
      else response.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end();
    };
  };
  const refusal = (message: RegExp) => ({ code: "SOURCE_UNAVAILABLE", message: expect.stringMatching(message) });

  it("gives its package to the credential only", async () => {
    server.on(
      "/x.nupkg",
      guardedAnswer((_, response) => response.end(nupkgOf({ "a.txt": "1" }))),
    );
    const ref = `nupkg+${server.url}/x.nupkg`;
    expect([...(await readSource(ref)).files.keys()]).toEqual(["content/a.txt"]);
    await expect(readSource(ref, {})).rejects.toMatchObject(refusal(/refused access/));
    const wrong: RemoteCredential = { kind: "login", username: "robot", password: "wrong" };
    await expect(readSource(ref, { credential: wrong })).rejects.toMatchObject(refusal(/refused access/));
    expect(await reader.tryResolve(ref, 5_000, credential)).toMatchObject({
      resolvedRef: expect.stringContaining("sha256="),
    });
    expect(await reader.tryResolve(ref, 5_000)).toBeUndefined();
    expect(JSON.stringify(logLines)).not.toContain(secret);
  });

  it.each([
    ["another host", () => other],
    ["the same host", () => server],
  ])("never has its credential carried along a redirect to %s", async (_, to) => {
    const seenHeaders: (string | undefined)[] = [];
    to().on("/stored.nupkg", (request, response) => {
      seenHeaders.push(request.headers.authorization);
      response.end(nupkgOf({ "a.txt": "1" }));
    });
    server.on(
      "/x.nupkg",
      guardedAnswer((__, response) => {
        response.writeHead(302, { location: `${to().url}/stored.nupkg` }).end();
      }),
    );
    expect((await readSource(`nupkg+${server.url}/x.nupkg`)).files.size).toBe(1);
    expect(seenHeaders).toEqual([undefined]);
  });

  it.each<[string, string, RemoteCredential, RegExp]>([
    ["shows no credential to the operator's feeds", "nuget:My.Templates@1.0.0", credential, /no host/],
    [
      "gives no ssh key to a package",
      "nupkg+URL/x",
      { kind: "sshKey", privateKey: "k", knownHosts: "h" },
      /only for ssh/,
    ],
    [
      "gives no ssh key to git over http",
      "git+URL/x",
      { kind: "sshKey", privateKey: "k", knownHosts: "h" },
      /only for ssh/,
    ],
    ["takes no line breaks in a password", "git+URL/x", { ...credential, password: `${secret}\n` }, /control/],
    ["takes no NUL in a password", "nupkg+URL/x", { ...credential, password: `${secret}\0` }, /control/],
    ["takes no colon in a login name", "nupkg+URL/x", { ...credential, username: "a:b" }, /colon/],
  ] as never)("%s", async (_, ref, wrong, message) => {
    const attempt = readSource(ref.replace("URL", server.url), { credential: wrong });
    await expect(attempt).rejects.toMatchObject(refusal(message));
    await expect(attempt).rejects.not.toMatchObject({ message: expect.stringContaining(secret) });
    expect(server.asked).toEqual([]);
  });

  it("gives its repository to the credential only, which no command line shows", async () => {
    const repository = await BareRepository.create();
    const commandLines: string[] = [];
    try {
      const commit = await repository.commit("main", { "web/a.txt": "1", "b.txt": "2" });
      await repository.run(["config", "uploadpack.allowFilter", "true"]);
      server.onAny(
        guardedAnswer((request, response) => {
          commandLines.push(spawnSync("ps", ["-eo", "args"]).stdout.toString());
          gitBackend(repository.root, request, response);
        }),
      );
      const ref = `git+${server.url}/repository.git#main:web`;
      const source = await readSource(ref);
      expect([source.resolvedRef, [...source.files.keys()]]).toEqual([ref.replace("main", commit), ["a.txt"]]);
      await expect(readSource(ref, {})).rejects.toMatchObject(refusal(/refused access/));
      expect(commandLines.join("")).toContain("git");
      expect(commandLines.join("")).not.toContain(secret);
    } finally {
      await repository.remove();
    }
  });
});
