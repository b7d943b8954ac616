import pg from "pg";
import { PostgresBus } from "../bus/postgres-bus.js";
import type { SchemaConnections } from "../connections/schema-connections.js";
import { CursorSeal } from "../pagination/cursor.js";
import { someMasterKeys } from "../sealing/master-keys.fixture.js";
import { createLogger } from "../telemetry/logger.js";
import { continueTrace } from "../telemetry/trace.js";
import { aDatabase, aTenant, type TestDatabase, until } from "../unit-of-work/database.fixture.js";
import type { Database } from "../unit-of-work/database.js";
import type { SliceModule } from "./slice-module.js";
import { startSubgraph } from "./start-subgraph.js";

class Letters {}

const logger = createLogger("test", "silent");
let test: TestDatabase;
let bus: PostgresBus;
let steps: string[];

beforeAll(async () => {
  test = await aDatabase();
  bus = await PostgresBus.open(test.definition.connections.worker, logger);
});
afterAll(async () => {
  await bus.close();
  await test.close();
});
beforeEach(() => {
  steps = [];
});

function aModule(slice: string, start: SliceModule["start"] = () => undefined): SliceModule {
  return {
    slice,
    async start(host, services) {
      steps.push(`${slice} starts`);
      host.onStarted(() => void steps.push(`${slice} works`));
      host.onStop(() => void steps.push(`${slice} stops`));
      host.onClose(() => void steps.push(`${slice} closes`));
      await start(host, services);
    },
  };
}

const start = (...modules: SliceModule[]) => startOver(test.definition.connections, modules);

const startOver = (connections: SchemaConnections, modules: SliceModule[]) =>
  startSubgraph(
    { connections, bus, logger },
    {
      modules,
      tables: { entities: [], migrations: test.definition.migrations },
      settings: {},
      cursors: new CursorSeal(someMasterKeys(1).keyring("factory catalog list cursors")),
      reseal: false,
      workerConnections: 1,
    },
  );

describe("a subgraph", () => {
  it("starts its modules in the order of the list and closes them in reverse order", async () => {
    const letters = new Letters();
    const subgraph = await start(
      aModule("one", (_, services) => void services.add(letters)),
      aModule("two", (_, services) => void services.get(Letters)),
    );
    expect(subgraph.get(Letters)).toBe(letters);
    await subgraph.ready();
    await subgraph.close();
    expect(steps).toEqual([
      ...["one starts", "two starts", "one works", "two works"],
      ...["one stops", "two stops", "two closes", "one closes"],
    ]);
  });

  it("closes what has started when a later module fails, and does not begin to work", async () => {
    const failing = aModule("two", () => {
      throw new Error("The module is broken");
    });
    await expect(start(aModule("one"), failing, aModule("three"))).rejects.toThrow("The module is broken");
    expect(steps).toEqual(["one starts", "two starts", "one stops", "two stops", "two closes", "one closes"]);
  });

  it("closes everything although one part cannot be closed", async () => {
    const subgraph = await start(
      aModule("one"),
      aModule("two", ({ onClose, onStop }) => {
        onClose(() => Promise.reject(new Error("not closed")));
        onStop(() => Promise.reject(new Error("not stopped")));
      }),
    );
    await expect(subgraph.close()).rejects.toThrow();
    expect(steps.slice(-4)).toEqual(["one stops", "two stops", "two closes", "one closes"]);
  });

  it("refuses a module that needs a service of a module below it", async () => {
    const needy = aModule("one", (_, services) => void services.get(Letters));
    const giving = aModule("two", (_, services) => void services.add(new Letters()));
    await expect(start(needy, giving)).rejects.toThrow('The module "one" needs Letters');
  });

  it("keeps no connection when the role of the workers cannot connect", async () => {
    const admin = new pg.Client({ connectionString: test.url });
    await admin.connect();
    const connections = async () =>
      (await admin.query("select from pg_stat_activity where datname = current_database() and usename like 'catalog%'"))
        .rowCount ?? 0;
    const before = await connections();
    const worker = new URL(test.definition.connections.worker);
    worker.password = "wrong";
    const start = startOver({ ...test.definition.connections, worker: worker.href }, [aModule("one")]);
    await expect(start).rejects.toThrow("password authentication failed");
    expect(steps).toEqual([]);
    await until(async () => (await connections()) <= before);
    await admin.end();
  });

  it("is ready while requests hold all connections of their pool", async () => {
    const databases: Database[] = [];
    const subgraph = await start(aModule("one", (host) => void databases.push(host.database)));
    const [database] = databases as [Database];
    let release = () => {};
    const releasePromise = new Promise<void>((resolve) => (release = resolve));
    let running = 0;
    const requests = Array.from({ length: 10 }, () =>
      database.transaction(aTenant(), { trace: continueTrace(undefined) }, async ({ execute }) => {
        await execute("select");
        running += 1;
        await releasePromise;
      }),
    );
    await until(() => running === requests.length);
    await subgraph.ready();
    release();
    await Promise.all(requests);
    await subgraph.close();
  });
});
