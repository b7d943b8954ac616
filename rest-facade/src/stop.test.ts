import { Agent, get, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type Started, startWith } from "./facade.fixture.js";

const template = { templateId: "tpl_1", name: "a", status: "Active", allVersions: [] };

interface End {
  readonly answered: number;
  /** How many answers carried "Connection: close". */
  readonly lastAnswers: number;
  /** The code for the failure that ended the client. */
  readonly end: string | undefined;
}

/** A client that keeps its connection alive and sends requests until the listener is gone. */
async function ask(url: string, startAfterMs: number, onAnswer: () => void): Promise<End> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const counts = { answered: 0, lastAnswers: 0 };
  await sleep(startAfterMs);
  for (let turn = 0; turn < 2000; turn++) {
    const failure = await new Promise<string | undefined>((resolve) => {
      const headers = { authorization: "Bearer good" };
      get(`${url}/v1/templates/tpl_1`, { agent, headers }, (response) => {
        if (response.statusCode === 200) {
          counts.answered++;
          onAnswer();
        }
        if (response.headers.connection === "close") counts.lastAnswers++;
        response.resume().once("end", () => resolve(undefined));
      }).once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    });
    if (failure !== undefined) return { ...counts, end: failure };
    await sleep(10);
  }
  return { ...counts, end: undefined };
}

interface Open {
  readonly client: Socket;
  /** The server has closed its half. */
  readonly ended: Promise<unknown>;
  readonly closed: Promise<unknown>;
  readonly failures: Error[];
  received(): string;
}

async function open(url: string): Promise<Open> {
  const { hostname, port } = new URL(url);
  const client = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  const failures: Error[] = [];
  let receivedText = "";
  client.on("error", (error) => failures.push(error));
  client.on("data", (chunk: Buffer) => {
    receivedText += chunk.toString();
  });
  const ending = new Promise((resolve) => client.once("end", resolve));
  const closing = new Promise((resolve) => client.once("close", resolve));
  await new Promise((resolve) => client.once("connect", resolve));
  return { client, ended: ending, closed: closing, failures, received: () => receivedText };
}

async function eventually(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 3000 && !condition(); turn++) await sleep(10);
  expect(condition()).toBe(true);
}

/** How long a stop waits when only the test ends it. */
function anEndlessGrace() {
  let endGrace = () => {};
  const grace = new Promise<void>((resolve) => (endGrace = resolve));
  return { endGrace, stopPatience: { timeoutMs: 600_000, lingerMs: 600_000, pause: () => grace } };
}

/** New connections are refused. */
async function refused(facade: Started): Promise<void> {
  for (let turn = 0; turn < 3000; turn++) {
    const answer = await facade.call("GET /livez").catch(() => undefined);
    if (!answer) return;
  }
  throw new Error("The listener stays open");
}

describe("starting", () => {
  it("fails when an operation does not fit the graph", async () => {
    const prepare = () => {
      throw new Error("Cannot query field");
    };
    await expect(startWith({}, { prepare })).rejects.toThrow("Cannot query field");
  });

  it("fails when the port is in use, and leaves nothing open", async () => {
    const first = await startWith({});
    try {
      const port = Number(new URL(first.publicUrl).port);
      await expect(startWith({}, { port })).rejects.toThrow(/EADDRINUSE/);
    } finally {
      await first.close();
    }
  });
});

describe("stopping", () => {
  it("finishes running requests, then closes the connection, although it is kept alive", async () => {
    let finish: (() => void) | undefined;
    const facade = await startWith({
      template: () => new Promise((resolve) => (finish = () => resolve(template))),
    });
    const answer = facade.call("GET /v1/templates/tpl_1");
    await eventually(() => finish !== undefined);
    const stopping = facade.close();
    await refused(facade);
    finish?.();
    expect((await answer).status).toBe(200);
    await stopping;
  });

  it("resets no keep-alive connection, and answers every request that was sent", async () => {
    const { stopPatience, endGrace } = anEndlessGrace();
    const facade = await startWith({ template: () => sleep(5, template) }, { stopPatience });
    const answeredIndexes = new Set<number>();
    const clients = Array.from({ length: 20 }, (_, index) =>
      ask(facade.publicUrl, index * 3, () => answeredIndexes.add(index)),
    );
    await eventually(() => answeredIndexes.size === 20);
    const stopping = facade.close();
    const ends = await Promise.all(clients);
    endGrace();
    await stopping;
    expect(new Set(ends.map(({ end }) => end))).toEqual(new Set(["ECONNREFUSED"]));
    expect(ends.every(({ answered }) => answered > 0)).toBe(true);
    expect(ends.some(({ lastAnswers }) => lastAnswers > 0)).toBe(true);
  });

  it("answers all pipelined requests, and only the last answer has Connection: close", async () => {
    let requestCount = 0;
    let finish = () => {};
    const first = new Promise<void>((resolve) => (finish = resolve));
    const resolveTemplate = async () => {
      if (++requestCount === 1) await first;
      return template;
    };
    let serverSide: Socket | undefined;
    const git = ({ socket }: IncomingMessage, response: ServerResponse) => {
      serverSide = socket;
      response.end("last");
    };
    const { stopPatience, endGrace } = anEndlessGrace();
    const facade = await startWith({ template: resolveTemplate }, { ports: { git }, stopPatience });
    const socket = await open(facade.publicUrl);
    const lines = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer good\r\n\r\n`;
    socket.client.write(lines("/v1/templates/tpl_1"));
    await eventually(() => requestCount === 1);
    const stopping = facade.close();
    await refused(facade);
    socket.client.write(["/livez", "/v1/templates/tpl_1", "/livez", "/git/x"].map(lines).join(""));
    await eventually(() => serverSide !== undefined);
    finish();
    // the server has closed its half; late bytes are read, not answered, and do not reset the connection
    await socket.ended;
    socket.client.write(lines("/v1/templates/tpl_1"));
    await eventually(() => serverSide?.bytesRead === socket.client.bytesWritten);
    socket.client.end();
    await socket.closed;
    endGrace();
    await stopping;
    expect(socket.failures).toEqual([]);
    expect(socket.received().match(/HTTP\/1.1 200 OK/g)).toHaveLength(5);
    expect(socket.received().match(/connection: close/gi)).toHaveLength(1);
    expect(socket.received().toLowerCase().indexOf("connection: close")).toBeGreaterThan(
      socket.received().lastIndexOf("HTTP/1.1 200 OK"),
    );
    expect(requestCount).toBe(2);
  });

  it("is reported by /readyz at once, on open connections and on the internal listener", async () => {
    const { stopPatience, endGrace } = anEndlessGrace();
    const facade = await startWith({}, { stopPatience });
    const connection = await open(facade.publicUrl);
    const stopping = facade.close();
    connection.client.write("GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n");
    const internal = await facade.call("GET /readyz", { internal: true });
    expect([internal.status, internal.json["checks"]]).toEqual([503, { stopping: "yes" }]);
    await eventually(() => connection.received().includes("stopping"));
    expect(connection.received()).toMatch(/^HTTP\/1.1 503 .*connection: close/is);
    connection.client.end();
    await connection.closed;
    await expect(facade.call("GET /livez")).rejects.toThrow("fetch failed");
    endGrace();
    await stopping;
    await expect(facade.call("GET /readyz", { internal: true })).rejects.toThrow("fetch failed");
  });

  it("ends requests that do not finish in time", async () => {
    let isAsked = false;
    const never = () => ((isAsked = true), new Promise(() => {}));
    const facade = await startWith({ template: never }, { stopPatience: { timeoutMs: 100 } });
    const answer = facade.call("GET /v1/templates/tpl_1");
    const outcome = expect(answer).rejects.toThrow();
    await eventually(() => isAsked);
    await facade.close();
    await outcome;
  });

  it("does not wait for a client that does not complete its request or does not close its connection", async () => {
    const facade = await startWith({}, { stopPatience: { timeoutMs: 500 } });
    const head = "host: x\r\nauthorization: Bearer good\r\ncontent-type: application/json\r\n";
    const beginnings = [
      "",
      "GET /liv",
      "GET /livez HTTP/1.1\r\nhost: x\r\n",
      `POST /v1/templates HTTP/1.1\r\n${head}content-length: 9\r\n\r\n{}`,
      `POST /v1/templates HTTP/1.1\r\n${head}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n`,
      "GET /livez HTTP/1.1\r\nhost: x\r\n\r\n",
      "NONSENSE\r\n\r\n",
      "GET /nowhere HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
    ];
    const clients = await Promise.all(beginnings.map(() => open(facade.publicUrl)));
    for (const [index, bytes] of beginnings.entries()) clients[index]?.client.write(bytes);
    await sleep(50);
    await facade.close();
    for (const { client } of clients) client.destroy();
  });

  it("closes websockets", async () => {
    const acceptedSockets: Duplex[] = [];
    const graphql = {
      handle: async () => ({}),
      upgrade: (_request: unknown, socket: Duplex) => {
        acceptedSockets.push(socket);
        socket.write("HTTP/1.1 101 Switching Protocols\r\n\r\n");
      },
    };
    const facade = await startWith({}, { ports: { graphql }, stopPatience: { timeoutMs: 100 } });
    const { port } = new URL(facade.publicUrl);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write("GET /graphql HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n");
    await new Promise((resolve) => socket.once("data", resolve));
    const closing = new Promise((resolve) => socket.once("close", resolve));
    await facade.close();
    await closing;
    expect(acceptedSockets).toHaveLength(1);
  });
});

describe("health and metrics", () => {
  it("answer on both listeners; readiness comes from its port and is read once a second", async () => {
    let requestCount = 0;
    const ready = async () => {
      requestCount++;
      return { ready: false, checks: { database: "down" } };
    };
    let now = 0;
    const facade = await startWith({}, { ports: { ready }, clock: () => now });
    try {
      for (const internal of [false, true]) {
        expect((await facade.call("GET /livez", { internal, token: undefined })).status).toBe(200);
        const answer = await facade.call("GET /readyz", { internal, token: undefined });
        expect([answer.status, answer.json["checks"]]).toEqual([503, { database: "down" }]);
      }
      expect(requestCount).toBe(1);
      now = 1001;
      await facade.call("GET /readyz");
      expect(requestCount).toBe(2);
    } finally {
      await facade.close();
    }
  });

  it("a readiness port that fails is not ready", async () => {
    const facade = await startWith({}, { ports: { ready: () => Promise.reject(new Error("x")) } });
    try {
      expect((await facade.call("GET /readyz")).status).toBe(503);
    } finally {
      await facade.close();
    }
  });

  it("metrics name route and tenant, on the public listener only in development", async () => {
    const facade = await startWith({ template: () => template }, { development: true });
    try {
      await facade.call("GET /v1/templates/tpl_1");
      await facade.call("GET /nowhere");
      await facade.call("GET /git/x");
      for (const internal of [false, true]) {
        const { status, text } = await facade.call("GET /metrics", { internal, token: undefined });
        expect(status).toBe(200);
        expect(text).toContain("# nothing else");
        expect(text).toMatch(
          /http_request_duration_seconds_count\{method="GET",route="\/v1\/templates\/\{templateId\}",status="200"\} 1/,
        );
        expect(text).toContain('route="unmatched",status="404"');
        expect(text).toContain('route="/git/*",status="200"');
        expect(text).toMatch(/http_requests_by_tenant_total\{.*tenant="ten_0+"\} 1/);
      }
    } finally {
      await facade.close();
    }
  });
});

describe("CORS", () => {
  it("sends CORS headers only to listed origins", async () => {
    const facade = await startWith({ template: () => template }, { allowedOrigins: ["https://studio.example"] });
    try {
      const ask = (origin: string, method = "GET") =>
        facade.call(`${method} /v1/templates/tpl_1`, { headers: { origin, "access-control-request-method": "GET" } });
      const listedAnswer = await ask("https://studio.example");
      expect(listedAnswer.headers.get("access-control-allow-origin")).toBe("https://studio.example");
      expect(listedAnswer.headers.get("vary")).toBe("Origin");
      expect((await ask("https://other.example")).headers.get("access-control-allow-origin")).toBeNull();
      const preflight = await ask("https://studio.example", "OPTIONS");
      expect([preflight.status, preflight.headers.get("access-control-allow-methods")]).toEqual([
        204,
        "GET, HEAD, POST, PUT, PATCH, DELETE",
      ]);
    } finally {
      await facade.close();
    }
  });
});
