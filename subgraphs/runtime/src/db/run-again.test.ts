import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import pg from "pg";
import { databaseRefusal } from "../errors/unavailable.js";
import { continueTrace } from "../telemetry/trace.js";
import { aDatabase, aTenant, noteTable, quiet, type TestDatabase } from "../unit-of-work/database.fixture.js";
import { Database } from "../unit-of-work/database.js";

const cause = { trace: continueTrace(undefined) };

describe("a transaction that PostgreSQL aborted", () => {
  let test: TestDatabase;

  beforeAll(async () => {
    test = await aDatabase();
  });
  afterAll(() => test.close());

  const subjects = (tenant: ReturnType<typeof aTenant>) =>
    test.database.transaction(tenant, cause, ({ execute }) =>
      execute<{ subject: string }>("select envelope->>'subject' as subject from outbox order by seq"),
    );

  it("is run again when the parent of a row was deleted in the meantime, and then reports it", async () => {
    const tenant = aTenant();
    const noteId = randomUUID();
    const admin = new pg.Client({ connectionString: test.url });
    await admin.connect();
    await admin.query(
      `create table catalog.parts (tenant_id uuid, note_id uuid,
         foreign key (tenant_id, note_id) references catalog.notes deferrable initially deferred)`,
    );
    await admin.query("grant insert on catalog.parts to suites_catalog_app");
    await test.database.transaction(tenant, cause, async ({ em }) => {
      em.persist(em.create(noteTable, { tenantId: tenant.uuid, noteId, text: "" }));
    });
    let runs = 0;
    const outcome = await test.database.transaction(tenant, cause, async ({ execute }) => {
      runs += 1;
      if ((await execute("select from notes where note_id = $1", [noteId])).length === 0)
        return "there is no such note";
      await execute("insert into parts values ($1, $2)", [tenant.uuid, noteId]);
      await admin.query("delete from catalog.notes where note_id = $1", [noteId]);
      return "written";
    });
    await admin.end();
    expect([outcome, runs]).toEqual(["there is no such note", 2]);
  });

  it("is run again after a deadlock, without doubling its events", async () => {
    const tenant = aTenant();
    const notes = [randomUUID(), randomUUID()];
    await test.database.transaction(tenant, cause, async ({ em }) => {
      for (const noteId of notes) em.persist(em.create(noteTable, { tenantId: tenant.uuid, noteId, text: "" }));
    });
    let runs = 0;
    let commitCalls = 0;
    let holding = 0;
    let go: () => void = () => undefined;
    const bothHold = new Promise<void>((resolve) => {
      go = resolve;
    });
    const change = (name: string, order: readonly string[]) =>
      test.database.transaction(tenant, cause, async ({ execute, record, em, afterCommit }) => {
        runs += 1;
        afterCommit(() => (commitCalls += 1));
        record({ type: "TemplateRegistered", subject: name, data: {} });
        em.persist(em.create(noteTable, { tenantId: tenant.uuid, noteId: randomUUID(), text: name }));
        for (const noteId of order) {
          await execute("update notes set text = $2 where note_id = $1", [noteId, name]);
          holding += 1;
          if (holding === 2) go();
          await bothHold;
        }
      });
    await Promise.all([change("one", notes), change("other", notes.toReversed())]);
    expect(runs).toBe(3);
    expect(commitCalls).toBe(2);
    expect((await subjects(tenant)).map(({ subject }) => subject).toSorted()).toEqual(["one", "other"]);
    const writtenNote = await test.database.transaction(tenant, cause, ({ execute }) =>
      execute("select text from notes where text <> '' and note_id <> all($1::uuid[]) order by text", [notes]),
    );
    expect(writtenNote).toEqual([{ text: "one" }, { text: "other" }]);
  });

  it("is run again three times and then reported as 503", async () => {
    let runs = 0;
    const attempt = test.database.transaction(aTenant(), cause, async ({ execute }) => {
      runs += 1;
      await execute("do $$ begin raise exception using errcode = '40001'; end $$");
    });
    expect(databaseRefusal(await attempt.catch((error: unknown) => error))).toMatchObject({ code: "UNAVAILABLE" });
    expect(runs).toBe(4);
  });

  it("is run again although its failure was caught", async () => {
    let runs = 0;
    await test.database.transaction(aTenant(), cause, async ({ execute }) => {
      runs += 1;
      if (runs === 1)
        await execute("do $$ begin raise exception using errcode = '40P01'; end $$").catch(() => undefined);
    });
    expect(runs).toBe(2);
  });

  it("is not run again for its own error", async () => {
    let runs = 0;
    const attempt = test.database.transaction(aTenant(), cause, async ({ execute }) => {
      runs += 1;
      await execute("select nothing");
    });
    await expect(attempt).rejects.toMatchObject({ code: "42703" });
    expect(runs).toBe(1);
  });

  it("is not run again when the connection is lost during COMMIT, and the error says that the outcome is unknown", async () => {
    const way = await wayThatEndsAtCommit(test.definition.connections.app);
    const database = await Database.open(
      { ...test.definition, connections: { ...test.definition.connections, app: way.url } },
      quiet,
    );
    const tenant = aTenant();
    let runs = 0;
    const failure = await database
      .transaction(tenant, cause, async ({ em, execute }) => {
        runs += 1;
        await execute("select");
        em.persist(em.create(noteTable, { tenantId: tenant.uuid, noteId: randomUUID(), text: "perhaps" }));
      })
      .catch((error: unknown) => error);
    expect(runs).toBe(1);
    expect(databaseRefusal(failure)?.facts.detail).toMatch(/outcome is unknown.*same Idempotency-Key/);
    await database.close();
    way.close();
    const client = new pg.Client({ connectionString: test.url });
    await client.connect();
    expect((await client.query("select from catalog.notes where text = 'perhaps'")).rowCount).toBe(1);
    await client.end();
  });
});

/** Passes everything on to the server, but no answer any more once COMMIT was sent. */
async function wayThatEndsAtCommit(url: string): Promise<{ url: string; close(): void }> {
  const { hostname, port } = new URL(url);
  const way = createServer((client) => {
    const server = connect(Number(port), hostname);
    let committing = false;
    client.on("data", (bytes) => {
      committing ||= bytes.includes("commit\0");
      server.write(bytes);
    });
    server.on("data", (bytes) => {
      if (committing) client.destroy();
      else client.write(bytes);
    });
    const end = (socket: Socket) => () => socket.destroy();
    client.on("error", end(server)).on("close", end(server));
    server.on("error", end(client)).on("close", end(client));
  });
  way.listen(0, "127.0.0.1");
  await once(way, "listening");
  const through = new URL(url);
  const address = way.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has no port");
  through.port = String(address.port);
  return { url: through.href, close: () => way.close() };
}
