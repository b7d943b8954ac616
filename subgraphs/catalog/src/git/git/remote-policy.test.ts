import { relative } from "node:path";
import { addressKind } from "./address-kind.js";
import { BareRepository } from "./bare-repository.fixture.js";
import { RemoteBlocked, reachRemote, type SourcePolicy } from "./remote-policy.js";

const closedPolicy: SourcePolicy = { allowFile: false, fileRoots: [], allowLoopback: false, allowHosts: [] };
const resolving =
  (...addresses: string[]) =>
  async () =>
    addresses;

describe("addresses", () => {
  it.each(["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])("%s is loopback", (address) => {
    expect(addressKind(address)).toBe("loopback");
  });

  it.each([
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "168.63.129.16",
    "::ffff:168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::ffff:10.0.0.1",
    "::ffff:a9fe:a9fe",
    "::8.8.8.8",
    "::808:808",
    "64:ff9b::a00:1",
    "64:ff9b:1::1",
    "3fff::1",
    "5f00::1",
    "fec0::1",
    "192.88.99.1",
    "2002:7f00:1::",
    "fd00::1",
    "fe80::1",
    "ff02::1",
    "2001:db8::1",
    "not an address",
  ])("%s is blocked", (address) => {
    expect(addressKind(address)).toBe("blocked");
  });

  it.each(["8.8.8.8", "168.63.129.17", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8"])(
    "%s is public",
    (address) => {
      expect(addressKind(address)).toBe("public");
    },
  );
});

describe("reaching a remote", () => {
  it("pins git to the addresses that were judged", async () => {
    const reachedRemote = await reachRemote(
      "https://host.example/r.git",
      closedPolicy,
      resolving("8.8.8.8", "2606:4700::1111"),
    );
    expect(reachedRemote).toEqual({
      url: "https://host.example/r.git",
      protocol: "https",
      settings: ["http.curloptResolve=host.example:443:8.8.8.8,[2606:4700::1111]"],
    });
    const other = await reachRemote("https://host.example:8443/r.git", closedPolicy, resolving("8.8.8.8"));
    expect(other.settings).toEqual(["http.curloptResolve=host.example:8443:8.8.8.8"]);
  });

  it.each(["host.example.", "host.example.."])("pins %s by the name that git is then given", async (host) => {
    await expect(reachRemote(`https://${host}/r.git`, closedPolicy, resolving("8.8.8.8"))).resolves.toMatchObject({
      url: "https://host.example/r.git",
      settings: ["http.curloptResolve=host.example:443:8.8.8.8"],
    });
  });

  it.each(["10.0.0.1", "127.0.0.1", "169.254.169.254", "::1", "fd00::1"])(
    "refuses a public name that answers with %s, alone or beside a public address",
    async (address) => {
      const url = "https://host.example/r.git";
      await expect(reachRemote(url, closedPolicy, resolving(address))).rejects.toBeInstanceOf(RemoteBlocked);
      await expect(reachRemote(url, closedPolicy, resolving("8.8.8.8", address))).rejects.toBeInstanceOf(RemoteBlocked);
    },
  );

  it("lets named hosts be private, and loopback only where it is allowed", async () => {
    const namedPolicy = { ...closedPolicy, allowHosts: ["git.internal"] };
    await expect(reachRemote("http://git.internal/r.git", namedPolicy, resolving("10.0.0.1"))).resolves.toMatchObject({
      protocol: "http",
      settings: ["http.curloptResolve=git.internal:80:10.0.0.1"],
    });
    const local = { ...closedPolicy, allowLoopback: true };
    await expect(reachRemote("http://localhost:1/r", local, resolving("127.0.0.1"))).resolves.toBeDefined();
    await expect(reachRemote("http://localhost:1/r", local, resolving("8.8.8.8"))).rejects.toBeInstanceOf(
      RemoteBlocked,
    );
    await expect(reachRemote("https://x.example/r", local, resolving("10.0.0.1"))).rejects.toBeInstanceOf(
      RemoteBlocked,
    );
  });

  it("judges ssh as it judges https, once it is allowed", async () => {
    const ssh = { ...closedPolicy, allowSsh: true };
    const url = "ssh://git@Host.example:2222/o/r.git";
    await expect(reachRemote(url, ssh, resolving("8.8.8.8", "9.9.9.9"))).resolves.toMatchObject({
      protocol: "ssh",
      ssh: { host: "host.example", port: "2222", address: "8.8.8.8", username: "git" },
    });
    await expect(reachRemote("ssh://8.8.8.8/r", ssh)).resolves.toMatchObject({
      ssh: { host: "8.8.8.8", port: "22", address: "8.8.8.8", username: undefined },
    });
    await expect(reachRemote(url, closedPolicy, resolving("8.8.8.8"))).rejects.toThrow("ssh is not allowed");
    for (const address of ["10.0.0.1", "127.0.0.1", "::1", "fd00::1"])
      await expect(reachRemote(url, ssh, resolving("8.8.8.8", address))).rejects.toBeInstanceOf(RemoteBlocked);
    await expect(reachRemote(url, ssh, resolving())).rejects.toThrow("does not resolve");
    const namedPolicy = { ...ssh, allowHosts: ["host.example:2222"] };
    await expect(reachRemote(url, namedPolicy, resolving("10.0.0.1"))).resolves.toMatchObject({
      ssh: { address: "10.0.0.1" },
    });
  });

  it.each([
    "ssh://10.0.0.1/r",
    "ssh://[::1]/r",
    "ssh://LOCALHOST/r",
    "ssh://2130706433/r",
    "ssh://0x7f.1/r",
    "ssh://ho%73t.example/r",
    "ssh://host_$(id)/r",
    "ssh://-oProxyCommand=x/r",
    "ssh://git:secret@host.example/r",
    "ssh://-l@host.example/r",
    "ssh://a%20b@host.example/r",
    "ssh://host.example/a%0ab",
  ])("refuses %s over ssh", async (url) => {
    await expect(reachRemote(url, { ...closedPolicy, allowSsh: true })).rejects.toBeInstanceOf(RemoteBlocked);
  });

  it("says when a name does not resolve", async () => {
    await expect(reachRemote("https://no-such-host.invalid/r", closedPolicy)).rejects.toBeInstanceOf(RemoteBlocked);
  });

  it("keeps local repositories to their roots, and out of the platform's own", async () => {
    const repository = await BareRepository.create();
    try {
      const open = { ...closedPolicy, allowFile: true };
      await expect(reachRemote(repository.url, open)).resolves.toMatchObject({ protocol: "file" });
      await expect(reachRemote(repository.url, closedPolicy)).rejects.toBeInstanceOf(RemoteBlocked);
      await expect(reachRemote(repository.url, { ...open, fileRoots: ["/srv"] })).rejects.toBeInstanceOf(RemoteBlocked);
      const root = relative(process.cwd(), repository.root);
      await expect(reachRemote(repository.url, { ...open, fileRoots: [root] })).resolves.toBeDefined();
      const blockingPolicy = { ...open, blockedFileRoots: [repository.root] };
      await expect(reachRemote(repository.url, blockingPolicy)).rejects.toBeInstanceOf(RemoteBlocked);
      await expect(reachRemote(repository.url.replace(/\.git$/, ""), blockingPolicy)).rejects.toBeInstanceOf(
        RemoteBlocked,
      );
    } finally {
      await repository.remove();
    }
  });
});
