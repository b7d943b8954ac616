import { EgressBlockedError } from "@factory/runtime/egress/egress-errors";
import type { SourcePolicy } from "../../../git/git/remote-policy.js";
import { PackageDownloads } from "./package-downloads.js";
import { PackageServer } from "./package-server.fixture.js";
import { redirectTarget } from "./redirect-target.js";

const closedPolicy: SourcePolicy = { allowFile: false, fileRoots: [], allowLoopback: false, allowHosts: [] };
const limits = { maxBytes: 1_000, redirects: 0 };
const deadline = () => ({ endsAt: Date.now() + 60_000 });

describe("a host name that leads to an inner address", () => {
  let server: PackageServer;
  let downloads: PackageDownloads | undefined;

  beforeEach(async () => {
    server = await PackageServer.start();
    server.serve("/x", "inner");
  });
  afterEach(async () => {
    await downloads?.close();
    await server.stop();
  });

  const get = (scheme: string, address: string, changes: Partial<SourcePolicy> = {}) => {
    downloads = new PackageDownloads({ ...closedPolicy, ...changes }, async () => [{ address, family: 4 }]);
    return downloads.get(`${scheme}://inner.example:${new URL(server.url).port}/x`, limits, deadline());
  };

  it.each(["127.0.0.1", "10.0.0.1", "169.254.169.254"])("is refused at %s", async (address) => {
    await expect(get("https", address)).rejects.toBeInstanceOf(EgressBlockedError);
    expect(server.asked).toEqual([]);
  });

  it("is reached when the operator opened it, by plain http too", async () => {
    const { status, body } = await get("http", "127.0.0.1", { allowHosts: ["inner.example"] });
    expect([status, body.toString()]).toEqual([200, "inner"]);
  });
});

describe("a redirect", () => {
  const from = new URL("https://host.example/a/b");

  it.each([
    ["/c", "https://host.example/c"],
    ["c?sig=1#part", "https://host.example/a/c?sig=1#part"],
    ["//other.example/c", "https://other.example/c"],
    ["https://other.example/c", "https://other.example/c"],
  ])("to %s leads to %s", (location, target) => {
    expect(redirectTarget(from, location).href).toBe(target);
  });

  it.each(["http://host.example/a/b", "ftp://host.example/a", "file:///etc/passwd", "data:,x"])(
    "does not leave https for %s",
    (location) => {
      expect(() => redirectTarget(from, location)).toThrow("away from https");
    },
  );

  it.each([[undefined], [["/a", "/b"]], ["https://["]])("to %j leads nowhere", (location) => {
    expect(() => redirectTarget(from, location)).toThrow("without a valid address");
  });
});
