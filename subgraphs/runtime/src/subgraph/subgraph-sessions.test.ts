import { PostgresBus } from "../bus/postgres-bus.js";
import { aDatabase, quiet, type TestDatabase, until } from "../unit-of-work/database.fixture.js";
import { type SubgraphSessions, subgraphSessions } from "./subgraph-sessions.js";

let test: TestDatabase;
let bus: PostgresBus;
let workerUrl: string;
/** The same database by another name for its host, so that nobody knows that it is the same. */
let elsewhere: string;

beforeAll(async () => {
  test = await aDatabase();
  workerUrl = test.definition.connections.worker;
  elsewhere = Object.assign(new URL(workerUrl), { hostname: "localhost" }).href;
  bus = await PostgresBus.open(workerUrl, quiet);
});
afterAll(async () => {
  await bus.close();
  await test.close();
});

const notify = () => bus.background.query("select pg_notify('sessions_test', '')");

/** Counts how often the sessions are woken. */
async function counted({ listener }: SubgraphSessions): Promise<() => number> {
  let wakes = 0;
  await listener.on("sessions_test", () => {
    wakes += 1;
  });
  return () => wakes;
}

describe("the sessions of a subgraph", () => {
  it("are those of the bus in its database, and wake no closed subgraph", async () => {
    const [closedSessions, open] = [subgraphSessions(bus, workerUrl, quiet), subgraphSessions(bus, workerUrl, quiet)];
    await Promise.all([closedSessions.start(), open.start()]);
    expect(closedSessions.turns).toBe(open.turns);
    const [ofClosed, ofOpen] = [await counted(closedSessions), await counted(open)];
    await notify();
    await until(async () => ofClosed() === 1 && ofOpen() === 1);
    await closedSessions.close();
    await notify();
    await until(async () => ofOpen() === 2);
    expect(ofClosed()).toBe(1);
    expect(await open.turns.of("relay", "sessions").take()).toBe(true);
    await open.close();
  });

  it("are own ones beside a bus elsewhere, and end with the subgraph", async () => {
    const sessions = subgraphSessions(bus, elsewhere, quiet);
    await sessions.start();
    const wakes = await counted(sessions);
    const turn = sessions.turns.of("relay", "elsewhere");
    expect(await turn.take()).toBe(true);
    await notify();
    await until(async () => wakes() === 1);
    await sessions.close();
    expect(turn.held).toBe(false);
  });
});
