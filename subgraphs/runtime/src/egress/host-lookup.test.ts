import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { HostLookup } from "./host-lookup.js";

/** A name server (RFC 1035) that knows one host, or answers nobody until it fails. */
async function aNameServer(knownHost?: { host: string; address: readonly number[] }) {
  const socket: Socket = createSocket("udp4");
  let questionCount = 0;
  let fails = false;
  const failures: (() => void)[] = [];
  socket.on("message", (question, { port, address }) => {
    questionCount += 1;
    if (knownHost) socket.send(answerTo(question, knownHost), port, address);
    else if (fails) socket.send(failureOf(question), port, address);
    else failures.push(() => socket.send(failureOf(question), port, address));
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    asked: () => questionCount,
    fail() {
      fails = true;
      for (const failure of failures.splice(0)) failure();
    },
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}

function answerTo(question: Buffer, { host, address }: { host: string; address: readonly number[] }): Buffer {
  const labels = host.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  const name = Buffer.concat([...labels, Buffer.from([0])]);
  const body = question.subarray(12, 12 + name.length + 4);
  const isKnown = body.subarray(0, name.length).equals(name) && body.readUInt16BE(name.length) === 1;
  const header = Buffer.from(question.subarray(0, 12));
  // a response; NXDOMAIN for what is not known
  header.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(isKnown ? 1 : 0, 6);
  header.writeUInt32BE(0, 8);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address]);
  return Buffer.concat([header, question.subarray(12, question.indexOf(0, 12) + 5), ...(isKnown ? [record] : [])]);
}

function failureOf(question: Buffer): Buffer {
  const answer = Buffer.from(question);
  // SERVFAIL
  answer.writeUInt16BE(0x8182, 2);
  return answer;
}

describe("the lookup of hosts", () => {
  it("finds the addresses that the name server gives", async () => {
    const server = await aNameServer({ host: "receiver.example", address: [192, 0, 2, 7] });
    const addresses = await new HostLookup([server.address]).addressesOf("receiver.example");
    expect(addresses).toEqual([{ address: "192.0.2.7", family: 4 }]);
    await server.close();
  });

  it("keeps no thread of the process while a name server does not answer", async () => {
    const server = await aNameServer();
    const lookup = new HostLookup([server.address], undefined, { timeout: 600_000, tries: 1 });
    let failureCount = 0;
    const names = Array.from({ length: 20 }, (_, place) => `host-${place}.example`);
    const asking = names.map((name) =>
      lookup.addressesOf(name).then(
        () => "found",
        (error: NodeJS.ErrnoException) => {
          failureCount += 1;
          return error.code;
        },
      ),
    );
    while (server.asked() < 20) await new Promise((resolve) => setTimeout(resolve, 10));
    // four look-ups by getaddrinfo would keep every file waiting
    for (let times = 0; times < 20; times += 1) await readFile("/etc/hosts");
    expect(failureCount).toBe(0);
    server.fail();
    expect(new Set(await Promise.all(asking))).toEqual(new Set(["ESERVFAIL"]));
    await server.close();
  });

  it("gives up a name server that does not answer", async () => {
    const server = await aNameServer();
    const lookup = new HostLookup([server.address], undefined, { timeout: 300, tries: 1 });
    await expect(lookup.addressesOf("host.example")).rejects.toMatchObject({ code: "ETIMEOUT" });
    await server.close();
  });

  it("asks the system for the names of this machine", async () => {
    const server = await aNameServer();
    const addresses = await new HostLookup([server.address]).addressesOf("localhost");
    expect(addresses.map(({ address }) => address)).toContain("127.0.0.1");
    expect(server.asked()).toBe(0);
    await server.close();
  });

  it("says what the system says of a name that no server knows", async () => {
    const server = await aNameServer({ host: "receiver.example", address: [192, 0, 2, 7] });
    await expect(new HostLookup([server.address]).addressesOf("nowhere.invalid")).rejects.toMatchObject({
      code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/),
    });
    await server.close();
  });

  it("keeps few callers waiting for the system, and forgets those that have given up", async () => {
    const server = await aNameServer({ host: "receiver.example", address: [192, 0, 2, 7] });
    const askedHosts: string[] = [];
    let answer: () => void = () => undefined;
    const lookup = new HostLookup([server.address], async (host) => {
      askedHosts.push(host);
      if (host.startsWith("stall")) await new Promise<void>((resolve) => (answer = resolve));
      return [{ address: "192.0.2.8", family: 4 }];
    });
    const stalledLookup = lookup.addressesOf("stall.example");
    while (askedHosts.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await lookup.addressesOf("database")).toHaveLength(1);
    const patience = new AbortController();
    const codes: unknown[] = [];
    const ends = Array.from({ length: 40 }, (_, place) =>
      lookup
        .addressesOf(`host-${place}.example`, patience.signal)
        .catch(({ code }: NodeJS.ErrnoException) => codes.push(code)),
    );
    while (codes.length < 8) await new Promise((resolve) => setTimeout(resolve, 10));
    patience.abort();
    await Promise.all(ends);
    expect(codes).toEqual([...Array(8).fill("EAI_AGAIN"), ...Array(32).fill("ETIMEOUT")]);
    answer();
    await stalledLookup;
    expect(await lookup.addressesOf("later.example")).toHaveLength(1);
    expect(askedHosts).toEqual(["stall.example", "database", "later.example"]);
    await server.close();
  });
});
