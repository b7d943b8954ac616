import { generateKeyPairSync } from "node:crypto";
import { createServer, type Server } from "node:http";
import { createEgress, type Egress } from "@factory/runtime/egress/egress";
import { KeysUnavailable } from "./detached-jws.js";
import { KeySets } from "./key-sets.js";

const key = (kid: string) => ({ ...generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }), kid });

let server: Server;
let egress: Egress;
let url: string;
let reads: number;
let answer: () => { status?: number; body: string };
let release: Promise<void>;
let time: number;

const clock = () => new Date(time);

beforeEach(async () => {
  reads = 0;
  time = 1_700_000_000_000;
  release = Promise.resolve();
  answer = () => ({ body: JSON.stringify({ keys: [key("a")] }) });
  server = createServer((_, response) => {
    reads += 1;
    void release.then(() => {
      const { status = 200, body } = answer();
      response.writeHead(status).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/jwks`;
  egress = createEgress({ allowLoopback: true, allowPrivateCidrs: [] });
});

afterEach(async () => {
  await egress.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe("a key set", () => {
  it("is read once for simultaneous calls, and kept", async () => {
    const find = new KeySets(egress, clock).of("ten_a", url);
    const foundKeys = await Promise.all([find("a"), find("a"), find(undefined), find("b")]);
    for (const keys of foundKeys) expect(keys.map(({ kid }) => kid)).toEqual(["a"]);
    await find("a");
    expect(reads).toBe(1);
  });

  it("is read again for an unknown key id, but not more often than the cool-down allows", async () => {
    const find = new KeySets(egress, clock).of("ten_a", url);
    await find("a");
    answer = () => ({ body: JSON.stringify({ keys: [key("a"), key("b")] }) });
    for (let attempt = 0; attempt < 5; attempt += 1) expect(await find("b")).toHaveLength(1);
    expect(reads).toBe(1);
    time += 30_000;
    expect(await find("b")).toHaveLength(2);
    for (let attempt = 0; attempt < 5; attempt += 1) await find("c");
    expect(reads).toBe(2);
  });

  it("is read again after its age, and serves on while the vendor fails", async () => {
    const find = new KeySets(egress, clock).of("ten_a", url);
    await find("a");
    time += 600_001;
    answer = () => ({ status: 500, body: "" });
    expect(await find("a")).toHaveLength(1);
    expect(await find("a")).toHaveLength(1);
    expect(reads).toBe(2);
    time += 86_400_000;
    await expect(find("a")).rejects.toThrow(KeysUnavailable);
  });

  it.each([
    ["an error", { status: 404, body: "{}" }],
    ["no JSON", { body: "<html>" }],
    ["no list", { body: '{"keys":{}}' }],
    ["null", { body: "null" }],
    ["more than 20 keys", { body: JSON.stringify({ keys: Array.from({ length: 21 }, () => ({ kty: "OKP" })) }) }],
    ["more than 64 KiB", { body: JSON.stringify({ keys: [], padding: "x".repeat(65_536) }) }],
  ])("is unavailable after %s", async (_, badAnswer) => {
    answer = () => badAnswer;
    const find = new KeySets(egress, clock).of("ten_a", url);
    for (let attempt = 0; attempt < 3; attempt += 1) await expect(find("a")).rejects.toThrow(KeysUnavailable);
    expect(reads).toBe(1);
    answer = () => ({ body: JSON.stringify({ keys: [key("a")] }) });
    time += 30_000;
    expect(await find("a")).toHaveLength(1);
  });

  it("is not read from a private network", async () => {
    const strict = createEgress({ allowLoopback: false, allowPrivateCidrs: [] });
    await expect(new KeySets(strict, clock).of("ten_a", url)("a")).rejects.toThrow(KeysUnavailable);
    expect(reads).toBe(0);
    await strict.close();
  });

  it("of one tenant displaces neither the sets of another nor the pauses of its own", async () => {
    const sets = new KeySets(egress, clock, { maxSets: 4, maxSetsPerTenant: 2 });
    await sets.of("ten_b", url)("a");
    const find = (name: number) => sets.of("ten_a", `${url}?${name}`)("a");
    await find(1);
    await find(2);
    for (let attempt = 0; attempt < 3; attempt += 1) await expect(find(3)).rejects.toThrow(KeysUnavailable);
    expect(reads).toBe(3);
    time += 30_000;
    await find(1);
    await find(3);
    expect(reads).toBe(4);
    await find(1);
    await sets.of("ten_b", url)("a");
    expect(reads).toBe(4);
    for (const name of [4, 5, 6, 7]) {
      time += 30_000;
      await find(name);
    }
    answer = () => ({ status: 500, body: "" });
    expect(await sets.of("ten_b", url)("a")).toHaveLength(1);
    expect(reads).toBe(8);
  });

  it("of one tenant waits for no other tenant", async () => {
    let open: () => void = () => undefined;
    release = new Promise((resolve) => {
      open = resolve;
    });
    const sets = new KeySets(egress, clock, { readsPerTenant: 2 });
    const slow = [1, 2, 3].map((name) => sets.of("ten_a", `${url}?${name}`)("a"));
    const outcomes = Promise.allSettled(slow);
    await expect(slow[2]).rejects.toThrow(KeysUnavailable);
    const other = sets.of("ten_b", `${url}?1`)("a");
    open();
    expect(await other).toHaveLength(1);
    expect((await outcomes).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(await sets.of("ten_a", `${url}?3`)("a")).toHaveLength(1);
  });
});
