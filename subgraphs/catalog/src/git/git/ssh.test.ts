import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type GitSourceRef, parseSourceRef } from "../../sources/sources/references/source-ref.js";
import { fetchSource } from "../../sources/sources/repositories/fetch-source.js";
import { resolveSource } from "../../sources/sources/repositories/resolve-source.js";
import { openTarget, pushScaffold, type ScaffoldPush } from "../../targets/targets/push-scaffold.js";
import { BareRepository } from "./bare-repository.fixture.js";
import type { RemoteCredential } from "./remote-credential.js";
import { reachRemote, type SourcePolicy } from "./remote-policy.js";
import { listRemoteRefs } from "./remote-refs.js";
import { hasSshServer, makeKey, SshServer } from "./ssh-server.fixture.js";
import { Workspace } from "./workspace.js";

const policy: SourcePolicy = { allowFile: false, fileRoots: [], allowLoopback: true, allowSsh: true, allowHosts: [] };
const login: RemoteCredential = { kind: "login", username: "u", password: "p" };

const sourceRef = (text: string): GitSourceRef => {
  const parseResult = parseSourceRef(text, policy);
  if (!("ref" in parseResult) || parseResult.ref.kind !== "git") throw new Error(`unreadable: ${text}`);
  return parseResult.ref;
};

const scaffold = (url: string, paths: string[], credential?: RemoteCredential): ScaffoldPush => ({
  url,
  branch: "main",
  files: new Map(paths.map((path) => [path, { bytes: Buffer.from(path), executable: false }])),
  commit: { message: paths.join(), authorName: "Bot", authorEmail: "bot@localhost", date: new Date(0) },
  onConflict: "fail",
  ...(credential && { credential }),
});

describe("ssh without a server", () => {
  const address = "ssh://git@127.0.0.1:9/x.git";
  const key: RemoteCredential = { kind: "sshKey", privateKey: "-----BEGIN X-----", knownHosts: "h ssh-ed25519 A" };

  it.each([
    ["is off unless the policy says otherwise", { ...policy, allowSsh: false }, key, /ssh is not allowed/],
    ["needs a credential", policy, undefined, /credential of kind SshKey/],
    ["takes no password", policy, login, /credential of kind SshKey/],
    ["takes no other text as a key", policy, { ...key, privateKey: "secret" }, /not a private key/],
    ["needs known hosts", policy, { ...key, knownHosts: " " }, /no knownHosts/],
    ["takes no option as a login name", policy, { ...key, username: "-oProxyCommand=x" }, /login name/],
  ])("%s", async (_, rules, credential, message) => {
    const target = pushScaffold(scaffold(address, ["a.txt"], credential as RemoteCredential), rules);
    await expect(target).rejects.toMatchObject({
      code: "TARGET_FORBIDDEN",
      message: expect.stringMatching(message),
    });
    await expect(target).rejects.not.toMatchObject({ message: expect.stringContaining("secret") });
    const options = { timeoutMs: 60_000, ...(credential && { credential: credential as RemoteCredential }) };
    await expect(resolveSource(sourceRef(`git+${address}`), rules, options)).rejects.toMatchObject({
      code: "SOURCE_UNAVAILABLE",
      message: expect.stringMatching(message),
    });
  });

  it("does not give a key to other addresses", async () => {
    await expect(pushScaffold(scaffold("http://127.0.0.1:9/x", ["a"], key), policy)).rejects.toMatchObject({
      code: "TARGET_FORBIDDEN",
      message: expect.stringMatching(/only for ssh addresses/),
    });
  });
});

const describeWithServer = hasSshServer ? describe : describe.skip;

describeWithServer("ssh with a server (needs /usr/sbin/sshd)", () => {
  let server: SshServer;
  let repository: BareRepository;
  let credential: RemoteCredential;

  beforeAll(async () => {
    server = await SshServer.start();
    credential = await server.credential();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    repository = await BareRepository.create();
  });
  afterEach(() => repository.remove());

  const url = () => server.url(repository.folder);
  const options = () => ({ timeoutMs: 60_000, credential });

  it("reads a source", async () => {
    await repository.run(["config", "uploadpack.allowFilter", "true"]);
    const commit = await repository.commit("main", { "web/a.txt": "1", "web/b.txt": "2", "other.txt": "3" });
    const { resolvedRef } = await resolveSource(sourceRef(`git+${url()}#main:web`), policy, options());
    expect(resolvedRef).toBe(`git+${url()}#${commit}:web`);
    const { files } = await fetchSource(sourceRef(resolvedRef), policy, options());
    expect([...files.keys()]).toEqual(["a.txt", "b.txt"]);
  });

  it("pushes, and asks the server for git's own commands only", async () => {
    const first = await pushScaffold(scaffold(url(), ["a.txt"], credential), policy);
    await pushScaffold(scaffold(url(), ["b.txt"], credential), policy);
    expect(await repository.text("rev-parse", "main^")).toBe(first.commitSha);
    const commands = (await server.seen()).split("\n").filter((line) => line.startsWith("command: "));
    const ownCommands = commands.filter((line) => line.includes(repository.folder));
    expect(new Set(ownCommands)).toEqual(
      new Set([`command: git-upload-pack '${repository.folder}'`, `command: git-receive-pack '${repository.folder}'`]),
    );
  });

  it("keeps the key in a private file that goes with the workspace, and off every command line", async () => {
    const key = (await server.credential()).privateKey;
    const open = await openTarget({ url: url(), branch: "main", credential }, policy);
    const folder = open.folder;
    expect((await stat(join(folder, "ssh-key"))).mode & 0o777).toBe(0o600);
    await open.push(scaffold(url(), ["a.txt"]));
    await open.close();
    await expect(stat(folder)).rejects.toMatchObject({ code: "ENOENT" });
    const commandLines = await server.seen();
    expect(commandLines).toContain("StrictHostKeyChecking=yes");
    for (const line of key.split("\n").filter((text) => text.length > 20)) expect(commandLines).not.toContain(line);
  });

  it("takes the login name of the credential where the address has none", async () => {
    const { username } = new URL(url());
    const anonymous = url().replace(`${username}@`, "");
    await pushScaffold(scaffold(anonymous, ["a.txt"], { ...(await server.credential()), username }), policy);
    await expect(pushScaffold(scaffold(anonymous, ["b.txt"], credential), policy)).rejects.toMatchObject({
      code: "TARGET_FORBIDDEN",
    });
  });

  it("connects to the checked address under the name whose key is known", async () => {
    await repository.commit("main", { "a.txt": "1" });
    const host = "no-such-host.invalid";
    const namedPolicy = { ...policy, allowHosts: [host] };
    const remote = await reachRemote(server.url(repository.folder, host), namedPolicy, async () => ["127.0.0.1"]);
    const list = async (knownAs: string) => {
      const workspace = await Workspace.open({
        remote,
        credential: await server.credential(knownAs),
        timeoutMs: 60_000,
      });
      try {
        await workspace.initialise("sha1");
        return await listRemoteRefs(workspace, ["HEAD"]);
      } finally {
        await workspace.close();
      }
    };
    expect((await list(host)).defaultBranch).toBe("main");
    await expect(list("127.0.0.1")).rejects.toMatchObject({ stderr: expect.stringContaining("host key") });
  });

  it("refuses a server whose key is not known", async () => {
    const file = join(server.folder, `other-${repository.root.split("-").at(-1)}`);
    makeKey(file);
    const knownHosts = `[127.0.0.1]:${server.port} ${await readFile(`${file}.pub`, "utf8")}`;
    const stranger = { ...(await server.credential()), knownHosts };
    await expect(pushScaffold(scaffold(url(), ["a.txt"], stranger), policy)).rejects.toMatchObject({
      code: "TARGET_FORBIDDEN",
      message: expect.stringMatching(/host key/),
    });
    const attempt = resolveSource(sourceRef(`git+${url()}`), policy, { timeoutMs: 60_000, credential: stranger });
    await expect(attempt).rejects.toMatchObject({
      code: "SOURCE_UNAVAILABLE",
      message: expect.stringMatching(/host key/),
    });
  });

  it("is refused with a key that the server does not know, and where there is no repository", async () => {
    const file = join(server.folder, `foreign-${repository.root.split("-").at(-1)}`);
    makeKey(file);
    const foreign = { ...(await server.credential()), privateKey: await readFile(file, "utf8") };
    await expect(pushScaffold(scaffold(url(), ["a.txt"], foreign), policy)).rejects.toMatchObject({
      code: "TARGET_FORBIDDEN",
      message: expect.stringMatching(/refused the login/),
    });
    await expect(pushScaffold(scaffold(`${url()}x`, ["a.txt"], credential), policy)).rejects.toMatchObject({
      code: "TARGET_FORBIDDEN",
      message: expect.stringMatching(/has no repository|has no git repository/),
    });
  });
});
