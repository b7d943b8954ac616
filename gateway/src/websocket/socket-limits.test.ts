import { connect as connectTcp } from "node:net";
import { ConnectionSeats } from "../admission/connection-seats.js";
import { aPrincipal } from "../admission/principal.fixture.js";
import { defaultChannelLimits } from "./socket-channel.js";
import { type Client, type SocketServer, startSocketServer, until } from "./socket-server.fixture.js";

const principals = { good: aPrincipal() };

let server: SocketServer;
const clients: Client[] = [];

async function start(options: Parameters<typeof startSocketServer>[1] = {}) {
  server = await startSocketServer(principals, {
    channelLimits: { ...defaultChannelLimits, closeMs: 500 },
    ...options,
  });
}

async function client(token?: string): Promise<Client> {
  const openClient = await server.connect(token);
  clients.push(openClient);
  return openClient;
}

afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.terminate();
  await server.close();
});

describe("websockets that have not said who they are", () => {
  const seats = (changes: object) =>
    new ConnectionSeats({ unknown: 10, unknownPerAddress: 10, perAddress: 10, ...changes });

  it("are bounded for an address, until one of them says so or leaves", async () => {
    await start({ seats: seats({ unknownPerAddress: 2 }) });
    const first = await client();
    await client();
    await expect(client()).rejects.toThrow();
    await client("good").catch(() => undefined);
    expect(server.refusals).toEqual(["RATE_LIMITED", "RATE_LIMITED"]);
    first.send({ type: "connection_init", payload: { authorization: "Bearer good" } });
    await until("it is acknowledged", () => first.messages.length === 1);
    const third = await client();
    third.socket.close();
    await third.closed;
    await client();
    expect(server.refusals).toHaveLength(2);
  });

  it("are bounded on the whole", async () => {
    await start({ seats: seats({ unknown: 1 }) });
    await client();
    await expect(client()).rejects.toThrow();
    expect(server.refusals).toEqual(["UNAVAILABLE"]);
  });

  it("count with all others of their address", async () => {
    await start({ seats: seats({ perAddress: 2 }) });
    await client("good");
    await client("good");
    await expect(client("good")).rejects.toThrow();
    expect(server.refusals).toEqual(["RATE_LIMITED"]);
  });
});

describe("messages on a websocket", () => {
  it("that are no valid document count for the tenant", async () => {
    await start();
    const { subscribe, messages } = await client("good");
    subscribe("{", "1");
    subscribe("{ nothing }", "2");
    await until("both are refused", () => messages.filter(({ type }) => type === "error").length === 2);
    expect(server.spent).toEqual({ invalid: 2 });
  });

  it("that subscribe count for the tenant, however soon they are completed", async () => {
    await start();
    const { subscribe, send } = await client("good");
    for (let id = 0; id < 50; id += 1) {
      subscribe("subscription { noted { id } }", `${id}`);
      send({ type: "complete", id: `${id}` });
    }
    await until("all are counted", () => server.spent["read"] === 50);
    await until("all are ended", () => server.notebook.subscribers === 0);
  });

  it("that use an id again before its operation has ended leave no subscription behind", async () => {
    await start();
    const { subscribe, send, socket } = await client("good");
    for (let times = 0; times < 5; times += 1) {
      subscribe("subscription { noted { id } }", "1");
      send({ type: "complete", id: "1" });
    }
    subscribe("subscription { noted { id } }", "1");
    await until("all are counted", () => server.spent["read"] === 6);
    await until("some are open", () => server.notebook.subscribers > 0);
    socket.terminate();
    await until("none is open", () => server.notebook.subscribers === 0);
  });

  it.each([
    ["messages that nothing else counts", (openClient: Client) => openClient.send({ type: "ping" })],
    ["pings of the protocol below", ({ socket }: Client) => socket.ping()],
  ])("end it when they are too many: %s", async (_, send) => {
    await start();
    const openClient = await client("good");
    for (let times = 0; times < 1000; times += 1) send(openClient);
    // the reason is lost where the peer goes on sending until it is cut
    expect([1008, 1006]).toContain(await openClient.closed);
  });

  it("do not end it when they are paid for", async () => {
    await start();
    const { subscribe, messages, socket } = await client("good");
    for (let id = 0; id < 600; id += 1) {
      subscribe("{ note { id } }", `${id}`);
      if (id % 50 === 49)
        await until("they are answered", () => messages.filter(({ type }) => type === "complete").length > id);
    }
    expect(socket.readyState).toBe(socket.OPEN);
  });

  it("are not heard once the server has said that the token has ended", async () => {
    await start();
    const peer = await deafPeer(server.port);
    peer.send({ type: "connection_init", payload: { authorization: "Bearer good" } });
    await until("it is acknowledged", () => peer.received().includes("connection_ack"));
    const { good } = principals;
    delete (principals as Partial<typeof principals>).good;
    server.sockets.revoked({ kind: "Principal", subject: good.subject, version: 1 });
    principals.good = good;
    await until("it is told to go", () => peer.received().includes("Token revoked"));
    peer.send({ type: "subscribe", id: "1", payload: { query: "mutation { addNote { id } }" } });
    await peer.ended;
    expect(server.notebook.added).toBe(0);
  });
});

/** A websocket by hand: it does not answer the server's close. */
async function deafPeer(port: number) {
  const socket = connectTcp(port, "127.0.0.1");
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
  });
  const closing = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.write(
    `GET /graphql HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r
sec-websocket-key: ${"A".repeat(22)}==\r\nsec-websocket-protocol: graphql-transport-ws\r\n\r\n`,
  );
  await until("it is open", () => text.includes("101 Switching"));
  return {
    ended: closing,
    received: () => text,
    send(message: unknown) {
      const data = Buffer.from(JSON.stringify(message));
      // RFC 6455 section 5.2: a text frame, masked with zeros
      const head = Buffer.from([0x81, 0x80 | 126, data.length >> 8, data.length & 0xff, 0, 0, 0, 0]);
      socket.write(Buffer.concat([head, data]));
    },
  };
}
