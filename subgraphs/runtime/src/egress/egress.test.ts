import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createEgress, type Egress, type EgressRequest } from "./egress.js";
import { EgressBlockedError, EgressFailure } from "./egress-errors.js";

const plain: EgressRequest = { method: "GET", timeoutMs: 20_000, connectTimeoutMs: 10_000, maxResponseBytes: 1_024 };
const closers: (() => unknown)[] = [];
let connections = 0;

function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
  });
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)));
}

function serve(answer: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<number> {
  return listen(createServer((request, response) => void answer(request, response)));
}

function serveTcp(answer: (socket: Socket) => unknown): Promise<number> {
  return listen(createTcpServer((socket) => void answer(socket.on("error", () => undefined))));
}

function anEgress(changes: Partial<Parameters<typeof createEgress>[0]> = {}): Egress {
  const egress = createEgress({ allowLoopback: true, allowPrivateCidrs: [], ...changes });
  closers.push(() => egress.close());
  return egress;
}

async function failureOf(request: Promise<unknown>): Promise<string> {
  try {
    await request;
    return "none";
  } catch (error) {
    if (error instanceof EgressFailure) return error.kind;
    if (error instanceof EgressBlockedError) return `blocked: ${error.reason}`;
    throw error;
  }
}

beforeEach(() => {
  connections = 0;
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

describe("without loopback", () => {
  test("no spelling of a local address is connected to", async () => {
    const port = await serve((_, response) => response.end("reached"));
    const egress = anEgress({ allowLoopback: false });
    const hosts = [
      "127.0.0.1",
      "127.1",
      "127.0.1",
      "0",
      "0.0.0.0",
      "0x7f000001",
      "0x7f.0.0.1",
      "0X7F.1",
      "2130706433",
      "017700000001",
      "0177.0.0.1",
      "00000177.0.0.1",
      "127.0.0.1.",
      "%31%32%37.0.0.1",
      "127%2e0%2e0%2e1",
      "①②⑦.⓪.⓪.①",
      "１２７.０.０.１",
      "127。0。0。1",
      "127\uff0e0\uff0e0\uff0e1",
      "[::1]",
      "[0:0:0:0:0:0:0:1]",
      "[0000:0000:0000:0000:0000:0000:0000:0001]",
      "[::]",
      "[::ffff:127.0.0.1]",
      "[::ffff:7f00:1]",
      "[::FFFF:7F00:0001]",
      "[::127.0.0.1]",
      "[::ffff:0:127.0.0.1]",
      "[64:ff9b::127.0.0.1]",
      "[2002:7f00:1::]",
      "[fe80::1]",
      "[fd00::1]",
      "10.0.0.1",
      "169.254.169.254",
      "2852039166",
      "0xa9fea9fe",
      "localhost",
      "LOCALHOST",
      "localhost.",
    ];
    for (const host of hosts) {
      const url = `http://${host}:${port}/`;
      expect([host, await egress.check(url)]).toEqual([host, expect.stringMatching(/address$/)]);
      expect([host, await failureOf(egress.request(url, plain))]).toEqual([
        host,
        expect.stringMatching(/^blocked: .*address$/),
      ]);
    }
    expect(connections).toBe(0);
  });

  test("a name is judged by what it resolves to, every time", async () => {
    const port = await serve((_, response) => response.end("reached"));
    const answers = [
      ["93.184.216.34"],
      ["93.184.216.34", "127.0.0.1"],
      ["127.0.0.1"],
      ["::ffff:127.0.0.1"],
      ["64:ff9b::7f00:1"],
    ];
    let lookups = 0;
    const resolve = async () =>
      (answers[lookups++] ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    const egress = anEgress({ allowLoopback: false, resolve });
    const url = `http://rebind.example:${port}/`;
    expect(await egress.check(url)).toBeUndefined();
    for (let round = 1; round < answers.length; round += 1) {
      expect(await failureOf(egress.request(url, plain))).toMatch(/^blocked: the host resolves to/);
    }
    expect(await failureOf(egress.request(url, plain))).toBe("connect");
    expect(connections).toBe(0);
  });

  test("an opened network is reached", async () => {
    const port = await serve((_, response) => response.end("reached"));
    const egress = anEgress({ allowLoopback: false, allowPrivateCidrs: ["127.0.0.1/32"] });
    expect((await egress.request(`http://127.0.0.1:${port}/`, plain)).body.toString()).toBe("reached");
    expect(await egress.check(`http://127.0.0.2:${port}/`)).toBe("a loopback address");
  });
});

test("the address that was checked is the one connected to", async () => {
  const port = await serve((request, response) => response.end(request.headers.host));
  let lookups = 0;
  const resolve = async () => {
    lookups += 1;
    return [{ address: lookups === 1 ? "127.0.0.1" : "10.0.0.1", family: 4 }];
  };
  const response = await anEgress({ resolve }).request(`http://receiver.example:${port}/`, plain);
  expect(response.body.toString()).toBe(`receiver.example:${port}`);
  expect(lookups).toBe(1);
});

test.each([
  ["ftp://example.com/", "not an http or https URL"],
  ["file:///etc/passwd", "not an http or https URL"],
  ["javascript:alert(1)", "not an http or https URL"],
  ["gopher://127.0.0.1/", "not an http or https URL"],
  ["//example.com/", "not a URL"],
  ["http://", "not a URL"],
  ["", "not a URL"],
  ["http://[fe80::1%25eth0]/", "not a URL"],
  ["http://user:pass@example.com/", "credentials in the URL"],
  ["http://example.com@127.0.0.1/", "credentials in the URL"],
  ["http://example.com:22/", "port 22 is not allowed"],
  [`http://example.com/${"x".repeat(2_048)}`, "longer than 2048 characters"],
])("%s is refused: %s", async (url, reason) => {
  const egress = anEgress({ allowedPorts: [80, 443, 8_443] });
  expect(await egress.check(url)).toBe(reason);
  expect(await failureOf(egress.request(url, plain))).toBe(`blocked: ${reason}`);
});

test("https can be asked for", async () => {
  expect(await anEgress().check("http://127.0.0.1/", { httpsOnly: true })).toBe("not an https URL");
  expect(await anEgress().check("https://127.0.0.1/", { httpsOnly: true })).toBeUndefined();
});

test("a name that does not resolve is not refused at the check", async () => {
  const resolve = async () => {
    throw Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
  };
  const egress = anEgress({ resolve });
  expect(await egress.check("https://nowhere.invalid/")).toBeUndefined();
  expect(await failureOf(egress.request("https://nowhere.invalid/", plain))).toBe("connect");
});

test("sends what it is given and returns what came", async () => {
  const port = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    response.writeHead(418, { "x-seen": `${request.method} ${request.url} ${String(request.headers["webhook-id"])}` });
    response.end(Buffer.concat(chunks));
  });
  const response = await anEgress().request(`http://127.0.0.1:${port}/a%20b?c=d`, {
    ...plain,
    method: "POST",
    headers: { "webhook-id": "evt_1" },
    body: Buffer.from("bödy"),
  });
  expect(response).toMatchObject({ status: 418, truncated: false, headers: { "x-seen": "POST /a%20b?c=d evt_1" } });
  expect(response.body.toString()).toBe("bödy");
});

test("a redirect is an answer, not a way", async () => {
  const target = await serve((_, response) => response.end("reached"));
  const port = await serve((_, response) => response.writeHead(302, { location: `http://127.0.0.1:${target}/` }).end());
  const response = await anEgress().request(`http://127.0.0.1:${port}/`, plain);
  expect(response.status).toBe(302);
  expect(connections).toBe(1);
});

test("a receiver that accepts and says nothing is cut at the total time", async () => {
  const port = await serveTcp(() => undefined);
  expect(await failureOf(anEgress().request(`http://127.0.0.1:${port}/`, { ...plain, timeoutMs: 200 }))).toBe(
    "timeout",
  );
});

test("a receiver that drips is cut at the total time", async () => {
  const port = await serve(async (_, response) => {
    response.writeHead(200);
    while (!response.destroyed) {
      response.write("x");
      await sleep(20);
    }
  });
  expect(await failureOf(anEgress().request(`http://127.0.0.1:${port}/`, { ...plain, timeoutMs: 300 }))).toBe(
    "timeout",
  );
});

test("dripped headers are cut at the total time", async () => {
  const port = await serveTcp(async (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    for (let count = 0; !socket.destroyed; count += 1) {
      socket.write(`x-${count}: y\r\n`);
      await sleep(20);
    }
  });
  expect(await failureOf(anEgress().request(`http://127.0.0.1:${port}/`, { ...plain, timeoutMs: 300 }))).toBe(
    "timeout",
  );
});

test("a big answer is cut at its limit, compressed or not", async () => {
  let sentBytes = 0;
  const port = await serve(async (_, response) => {
    response.on("error", () => undefined);
    response.writeHead(200, { "content-encoding": "gzip" });
    while (!response.destroyed && sentBytes < 1_000_000_000) {
      sentBytes += 65_536;
      if (!response.write(Buffer.alloc(65_536))) await sleep(1);
    }
  });
  const response = await anEgress().request(`http://127.0.0.1:${port}/`, { ...plain, maxResponseBytes: 100_000 });
  expect(response.truncated).toBe(true);
  expect(response.body).toHaveLength(100_000);
  await sleep(50);
  expect(sentBytes).toBeLessThan(50_000_000);
});

test("an answer of exactly the limit is whole", async () => {
  const port = await serve((_, response) => response.end("x".repeat(1_024)));
  expect(await anEgress().request(`http://127.0.0.1:${port}/`, plain)).toMatchObject({ truncated: false });
});

test("a reset is a reset", async () => {
  const resets = await serveTcp((socket) => socket.once("data", () => socket.resetAndDestroy()));
  expect(await failureOf(anEgress().request(`http://127.0.0.1:${resets}/`, plain))).toBe("reset");
  const halves = await serve((_, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("half");
    setTimeout(() => response.socket?.destroy(), 20);
  });
  expect(await failureOf(anEgress().request(`http://127.0.0.1:${halves}/`, plain))).toBe("reset");
});

test("a closed port is a failed connection", async () => {
  const server = createTcpServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  expect(await failureOf(anEgress().request(`http://127.0.0.1:${port}/`, plain))).toBe("connect");
});

test.each([
  "SSH-2.0-OpenSSH_9.2\r\n",
  "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
  "HTTP/9.9 200\r\n\r\n",
])("an answer that is no HTTP is a protocol failure: %j", async (bytes) => {
  const port = await serveTcp((socket) => socket.end(bytes));
  expect(await failureOf(anEgress().request(`http://127.0.0.1:${port}/`, plain))).toBe("protocol");
});

test("headers over 16 KiB are a protocol failure", async () => {
  const port = await serve((_, response) => response.writeHead(200, { "x-big": "x".repeat(20_000) }).end());
  expect(await failureOf(anEgress().request(`http://127.0.0.1:${port}/`, plain))).toBe("protocol");
});

test("a certificate nobody vouches for is a TLS failure", async () => {
  const folder = mkdtempSync(join(tmpdir(), "egress-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const openssl = spawnSync("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"],
    ...["-subj", "/CN=127.0.0.1", "-keyout", key, "-out", cert],
  ]);
  expect(openssl.status).toBe(0);
  const port = await listen(createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }));
  rmSync(folder, { recursive: true });
  expect(await failureOf(anEgress().request(`https://127.0.0.1:${port}/`, plain))).toBe("tls");
});

test("a receiver without TLS is a TLS failure", async () => {
  const port = await serve((_, response) => response.end());
  expect(await failureOf(anEgress().request(`https://127.0.0.1:${port}/`, plain))).toBe("tls");
});

test("the caller's signal ends the request with the caller's reason", async () => {
  const port = await serveTcp(() => undefined);
  const controller = new AbortController();
  const request = anEgress().request(`http://127.0.0.1:${port}/`, { ...plain, signal: controller.signal });
  setTimeout(() => controller.abort(new Error("stopping")), 50);
  await expect(request).rejects.toThrow("stopping");
});

test.each(["host", "Content-Length", "Transfer-Encoding", "connection", "Expect"])(
  "the header %s is refused",
  async (name) => {
    const port = await serve((_, response) => response.end());
    const request = anEgress().request(`http://127.0.0.1:${port}/`, { ...plain, headers: { [name]: "1" } });
    expect(await failureOf(request)).toMatch(/^blocked: the header/);
    expect(connections).toBe(0);
  },
);

test("a header value cannot carry another header", async () => {
  const port = await serve((request, response) => response.end(JSON.stringify(request.headers)));
  const request = anEgress().request(`http://127.0.0.1:${port}/`, { ...plain, headers: { "x-a": "1\r\nx-b: 2" } });
  expect(await failureOf(request)).toBe("protocol");
});

test("a malformed network stops the start", () => {
  expect(() => createEgress({ allowLoopback: false, allowPrivateCidrs: ["10.0.0.0"] })).toThrow("CIDR");
});

test("keeps a bounded number of connections open, whatever the number of origins", async () => {
  const connectionHeaders: (string | undefined)[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    connectionHeaders.push(request.headers.connection);
    response.end();
  };
  const ports = await Promise.all(Array.from({ length: 5 }, () => serve(answer)));
  const egress = anEgress({ keptConnections: 2 });
  for (const port of ports) await egress.request(`http://127.0.0.1:${port}/`, { ...plain, timeoutMs: 15_000 });
  expect(connectionHeaders).toEqual(["keep-alive", "keep-alive", "close", "close", "close"]);
});

describe("a client of its own", () => {
  const clientOf = (egress: Egress, connections = 2) => {
    const client = egress.client({ connectTimeoutMs: 5_000, connections });
    closers.push(() => client.close());
    return client;
  };

  test("is behind the same guard", async () => {
    const port = await serve((_, response) => response.end("reached"));
    const client = clientOf(anEgress({ allowLoopback: false }));
    expect(await failureOf(client.request(`http://127.0.0.1:${port}/`, plain))).toMatch(/^blocked/);
    const namedEgress = anEgress({ allowLoopback: false, resolve: async () => [{ address: "127.0.0.1", family: 4 }] });
    expect(await failureOf(clientOf(namedEgress).request(`http://vendor.example:${port}/`, plain))).toMatch(/^blocked/);
    const headers = { Host: "vendor.example" };
    expect(await failureOf(clientOf(anEgress()).request(`http://127.0.0.1:${port}/`, { ...plain, headers }))).toMatch(
      /^blocked/,
    );
    expect(connections).toBe(0);
  });

  test("opens no more connections than it may, and shares none", async () => {
    const port = await serve((_, response) => void setTimeout(() => response.end(), 20));
    const egress = anEgress();
    const [firstClient, other] = [clientOf(egress), clientOf(egress)];
    await Promise.all(Array.from({ length: 6 }, () => firstClient.request(`http://127.0.0.1:${port}/`, plain)));
    expect(connections).toBe(2);
    await other.request(`http://127.0.0.1:${port}/`, plain);
    expect(connections).toBe(3);
  });

  test("refuses certificates that cannot be used", async () => {
    const tls = { certificate: "no certificate", privateKey: "no key" };
    const client = async () => anEgress().client({ connectTimeoutMs: 5_000, connections: 1, tls });
    expect(await failureOf(client())).toBe("tls");
  });
});
