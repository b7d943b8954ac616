import { DomainError } from "@factory/runtime/errors/domain-error";
import { PrincipalSeats } from "@factory/runtime/platform-limits/principal-seats";
import { ConnectionSeats } from "../admission/connection-seats.js";
import { aPrincipal } from "../admission/principal.fixture.js";
import { comments, notes } from "../execution/notes.fixture.js";
import { until } from "../websocket/socket-server.fixture.js";
import { defaultEventLimits } from "./event-channel.js";
import { type StreamClient, type StreamServer, startStreamServer } from "./stream-server.fixture.js";

const query = "subscription { noted { id text } }";
const noteLength = 64 * 1024;

let server: StreamServer;

async function start(
  options?: Parameters<typeof startStreamServer>[1],
  gatewayOptions?: Parameters<typeof startStreamServer>[2],
): Promise<void> {
  server = await startStreamServer({ good: aPrincipal() }, options, gatewayOptions);
}

afterEach(() => server.close());

async function subscribed(): Promise<StreamClient> {
  const before = server.notebook.subscribers;
  const client = await server.open(query);
  await until("it is subscribed", () => server.notebook.subscribers > before);
  return client;
}

const tell = (count: number, length = 1) => {
  for (let id = 0; id < count; id += 1) server.notebook.tell({ id: `${id}`, text: "x".repeat(length) });
};

const lastResult = (client: StreamClient) => {
  const data = client
    .text()
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .at(-1);
  return JSON.parse(data?.slice("data: ".length) ?? "{}") as {
    errors?: { extensions: { code: string; cursor?: string } }[];
  };
};

describe("an event stream", () => {
  it("tells that its results are over", async () => {
    await start();
    const client = await server.open("{ note { id } }");
    await client.ended;
    expect(client.text()).toMatch(/^event: next\ndata: \{.*\}\n\nevent: complete\ndata: \n\n$/);
  });

  it("has comments while nothing happens", async () => {
    await start({ channelLimits: { ...defaultEventLimits, keepAliveMs: 20 } });
    const client = await subscribed();
    await until("comments have come", () => client.text() === ":\n\n:\n\n:\n\n");
  });

  it("needs a token, also where a condition leaves out its only field", async () => {
    await start();
    for (const text of [
      "subscription { __typename @skip(if: true) }",
      "subscription { ... { __typename @include(if: false) } }",
    ]) {
      const refusal = await server.open(text, "");
      await refusal.ended;
      expect(refusal.text()).toContain("A bearer token is required");
    }
  });

  it("counts a subscription that finds no seat, since its document was read", async () => {
    const charge = jest.fn();
    const spend = async () => ({ exceeded: false, seconds: 0 });
    await start({ principals: new PrincipalSeats(0), limits: { spend, charge, spendAnonymous: spend } });
    expect((await server.open(query)).response.statusCode).toBeGreaterThanOrEqual(400);
    expect(charge.mock.calls.map(([rate, , points]) => [rate, points])).toEqual([["invalid", 1]]);
  });

  it("leaves nothing behind when its client hangs up", async () => {
    const principals = new PrincipalSeats(1);
    const seats = new ConnectionSeats({ unknown: 9, unknownPerAddress: 9, perAddress: 1 });
    await start({ principals, seats });
    for (let times = 0; times < 3; times += 1) {
      const client = await subscribed();
      expect(server.streams.open).toBe(1);
      expect((await server.open(query)).response.statusCode).toBeGreaterThanOrEqual(400);
      client.response.destroy();
      await until("nothing is open", () => server.streams.open === 0 && server.notebook.subscribers === 0);
    }
  });

  it("gives its address's seat back when its principal has too many", async () => {
    const seats = new ConnectionSeats({ unknown: 9, unknownPerAddress: 9, perAddress: 2 });
    await start({ principals: new PrincipalSeats(1), seats });
    const client = await subscribed();
    for (let times = 0; times < 3; times += 1) await (await server.open(query)).ended;
    client.response.destroy();
    await until("nothing is open", () => server.streams.open === 0);
    await subscribed();
  });
});

describe("a client that does not read", () => {
  it("is sent no more than the kernel takes, and gets everything when it reads again", async () => {
    await start();
    const client = await subscribed();
    client.response.pause();
    const count = 1000;
    tell(count, noteLength);
    await until("the kernel is full", () => server.notebook.taken > 10);
    let taken = -1;
    await until("no more is taken", () => {
      const isSame = taken === server.notebook.taken;
      taken = server.notebook.taken;
      return isSame;
    });
    expect(server.notebook.taken).toBeLessThan(count);
    client.response.resume();
    await until("all is read", () => client.text().split("event: next").length === count + 1);
  });

  it("is cut after a while", async () => {
    await start({ channelLimits: { ...defaultEventLimits, patienceMs: 300 } });
    const client = await subscribed();
    client.response.pause();
    tell(1000, noteLength);
    await until("its subscription has ended", () => server.notebook.subscribers === 0 && server.streams.open === 0);
  });
});

describe("the end of an event stream", () => {
  const revocation = { kind: "Principal", subject: aPrincipal().subject, version: 2 } as const;

  it.each([
    ["a revoked token", new DomainError("TOKEN_INVALID", { detail: "Revoked." }), "TOKEN_INVALID"],
    ["a verifier that cannot decide", new DomainError("UNAVAILABLE", { detail: "Away." }), "UNAVAILABLE"],
  ])("has the reason and the cursor for %s", async (_, error, code) => {
    await start();
    const client = await subscribed();
    tell(2);
    await until("both are read", () => client.text().split("event: next").length === 3);
    server.refuse("good", error);
    server.streams.revoked(revocation);
    await client.ended;
    expect(lastResult(client).errors).toMatchObject([{ extensions: { code, cursor: "2" } }]);
    expect(client.text()).toMatch(/id: 2\nevent: next\n.*\n\nevent: complete\ndata: \n\n$/);
  });

  it("does not come for another principal's revocation", async () => {
    await start();
    const client = await subscribed();
    server.refuse("good", new Error("not asked"));
    server.streams.revoked({ ...revocation, subject: "usr_other" });
    tell(1);
    await until("the note is read", () => client.text().includes("event: next"));
  });

  it("has the reason also where the feed tells no cursor", async () => {
    await start();
    server.notebook.tellsCursor = false;
    const client = await subscribed();
    server.refuse("good", new DomainError("TENANT_SUSPENDED", { detail: "Suspended." }));
    server.streams.revoked(revocation);
    await client.ended;
    expect(lastResult(client).errors).toMatchObject([{ extensions: { code: "TENANT_SUSPENDED" } }]);
  });

  it("comes with the token's end", async () => {
    const expiresAt = Date.now() / 1000 + 0.5;
    server = await startStreamServer({ good: aPrincipal({ expiresAt }) });
    const client = await server.open(query);
    await client.ended;
    expect(lastResult(client).errors).toMatchObject([{ extensions: { code: "TOKEN_EXPIRED" } }]);
  });

  it("comes with the platform's stop, after which nothing opens", async () => {
    await start();
    const client = await subscribed();
    await Promise.all([server.streams.close(), client.ended]);
    expect(lastResult(client).errors).toMatchObject([{ extensions: { code: "UNAVAILABLE", cursor: "0" } }]);
    expect((await server.open(query)).response.statusCode).toBeGreaterThanOrEqual(400);
  });

  it("comes to a client that does not read, too", async () => {
    await start();
    const client = await subscribed();
    client.response.pause();
    tell(1000, noteLength);
    await until("the kernel is full", () => server.notebook.taken > 10);
    await server.streams.close();
    expect(server.notebook.subscribers).toBe(0);
  });

  it("comes when its graph is replaced, with the cursor", async () => {
    await start({}, { subscriptionsEndMs: 30 });
    const client = await subscribed();
    const changedSdls = { notes, comments: comments.replace("owner: String", "") };
    const replacement = await server.gateway.supergraph.replace({ subgraphSdls: changedSdls });
    expect(replacement).toMatchObject({ outcome: "replaced" });
    await client.ended;
    expect(lastResult(client).errors).toMatchObject([{ extensions: { code: "UNAVAILABLE", cursor: "0" } }]);
    expect(client.text()).toMatch(/event: complete\ndata: \n\n$/);
  });
});
