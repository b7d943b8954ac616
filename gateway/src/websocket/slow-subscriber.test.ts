import { aPrincipal } from "../admission/principal.fixture.js";
import { type ChannelLimits, defaultChannelLimits } from "./socket-channel.js";
import { type Client, type SocketServer, startSocketServer, until } from "./socket-server.fixture.js";

const query = "subscription { noted { id text } }";
const count = 3000;
const noteLength = 4096;

let server: SocketServer;
let client: Client;

async function start(channelLimits: ChannelLimits = defaultChannelLimits) {
  server = await startSocketServer({ good: aPrincipal() }, { channelLimits });
  client = await server.connect("good");
  client.subscribe(query);
  await until("it is subscribed", () => server.notebook.subscribers === 1);
}

afterEach(async () => {
  client.socket.terminate();
  await server.close();
});

function tellMany(): void {
  for (let id = 0; id < count; id += 1) server.notebook.tell({ id: `${id}`, text: "x".repeat(noteLength) });
}

const receivedCount = () => client.messages.filter(({ type }) => type === "next").length;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("a subscriber that stops reading", () => {
  it("is sent no more than a window, whatever the kernel would take", async () => {
    await start();
    client.socket.pause();
    tellMany();
    await until("the window is full", () => server.notebook.taken * noteLength >= defaultChannelLimits.window);
    await pause(300);
    expect(server.notebook.taken * noteLength).toBeLessThan(2 * defaultChannelLimits.window);
  });

  it("is not cut by the keep-alive while it is slow, and gets everything when it reads again", async () => {
    await start({ ...defaultChannelLimits, keepAliveMs: 50 });
    client.socket.pause();
    tellMany();
    await until("the window is full", () => server.notebook.taken * noteLength >= defaultChannelLimits.window);
    await pause(500);
    client.socket.resume();
    await until("all is received", () => receivedCount() === count);
  });

  it("is ended when it does not read for too long", async () => {
    const limits = { ...defaultChannelLimits, keepAliveMs: 50 };
    await start(limits);
    client.socket.pause();
    // a machine that pauses would end a client that still reads
    limits.patienceMs = 200;
    tellMany();
    await until("its subscription has ended", () => server.notebook.subscribers === 0);
  });

  it("is ended when too many answers wait for it", async () => {
    await start({ ...defaultChannelLimits, maxWaiting: 20_000, window: 1000 });
    client.socket.pause();
    for (let id = 0; id < 90; id += 1) client.subscribe(query, `more ${id}`);
    await until("all are subscribed", () => server.notebook.subscribers === 91);
    server.notebook.tell({ id: "1", text: "x".repeat(noteLength) });
    await until("its subscriptions have ended", () => server.notebook.subscribers === 0);
  });
});
