import pg from "pg";
import { decodeId, encodeId, newId } from "../../identifiers/wire-id.js";
import { continueTrace } from "../../telemetry/trace.js";
import type { Tenant } from "../../tenancy/tenant.js";
import { aDatabase, aTenant, quiet, type TestDatabase } from "../../unit-of-work/database.fixture.js";
import type { JobEnd } from "../definitions/job-definition.js";
import { type JobDefinition, JobQueue } from "../queue/job-queue.js";
import { JobRows, type WaitingRows } from "./job-rows.js";
import { Sweeper } from "./sweeper.js";

interface Payload {
  tenantId: string;
  noteId: string;
}

const job: JobDefinition<Payload> = {
  queue: "write-note",
  retryLimit: 0,
  retryDelaySeconds: 0,
  expireInSeconds: 60,
  concurrency: 1,
  concurrencyPerTenant: 1,
  subject: "noteId",
};

const waitingNotes: WaitingRows<Payload> = {
  slice: "notes",
  job,
  table: "notes",
  id: "note_id",
  prefix: "evt",
  waiting: "text = 'waiting'",
  since: "to_timestamp(0)",
  payload: ({ tenantId, id }) => ({ tenantId, noteId: id }),
};

describe("the sweeper", () => {
  let test: TestDatabase;
  let jobs: JobQueue;
  let sweeper: Sweeper;
  let sql: pg.Client;
  let refuse = false;
  const ends: JobEnd[] = [];

  beforeAll(async () => {
    test = await aDatabase();
    sql = new pg.Client({ connectionString: test.url });
    await sql.connect();
    await sql.query(
      "create policy waiting on catalog.notes for select to suites_platform_worker using (text = 'waiting')",
    );
    jobs = new JobQueue(test.definition.connections, quiet);
    await jobs.start([job]);
    await jobs.work(
      job,
      async ({ tenantId, noteId }) => {
        if (refuse) throw new Error("refused");
        await setText(tenantId, noteId, "written");
      },
      {
        abandoned: async ({ tenantId, noteId }, end) => {
          ends.push(end);
          if (ends.length > 1) await setText(tenantId, noteId, "failed");
        },
      },
    );
    sweeper = new Sweeper(quiet, "test");
    sweeper.add(new JobRows(test.database, jobs, waitingNotes));
  });
  afterAll(async () => {
    await sweeper.stop();
    await jobs.stop();
    await sql.end();
    await test.close();
  });

  const setText = (tenantId: string, noteId: string, text: string) =>
    sql.query("update catalog.notes set text = $3 where tenant_id = $1 and note_id = $2", [
      decodeId("ten", tenantId),
      decodeId("evt", noteId),
      text,
    ]);
  const textOf = async (noteId: string) =>
    (await sql.query("select text from catalog.notes where note_id = $1", [decodeId("evt", noteId)])).rows[0]?.text;

  async function aWaitingNote(tenant: Tenant): Promise<string> {
    const noteId = newId("evt");
    await sql.query("insert into catalog.notes values ($1, $2, 'waiting')", [tenant.uuid, decodeId("evt", noteId)]);
    return noteId;
  }

  const until = async (look: () => Promise<boolean>) => {
    for (let looksLeft = 600; !(await look()); looksLeft -= 1) {
      if (looksLeft === 0) throw new Error("not within 60 s");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };

  it("finds and repairs a row without a job, and leaves one with a job alone", async () => {
    const tenant = aTenant();
    const waitingNote = await aWaitingNote(tenant);
    expect(await sweeper.lying()).toEqual({ notes: 1 });
    await sweeper.sweep();
    expect(await sweeper.lying()).toEqual({ notes: 0 });
    await until(async () => (await textOf(waitingNote)) === "written");
    expect(sweeper.repaired()).toEqual({ notes: 1 });

    const later = await aWaitingNote(tenant);
    const cause = { trace: continueTrace(undefined) };
    await test.database.transaction(tenant, cause, (transaction) =>
      jobs.send(
        transaction,
        job,
        { tenantId: encodeId("ten", tenant.uuid), noteId: later },
        { startAfter: new Date(Date.now() + 3_600_000) },
      ),
    );
    expect(await sweeper.lying()).toEqual({ notes: 0 });
    await setText(tenant.tenantId, later, "written");
  });

  it("refuses two entries with one name, since one would hide the count of the other", () => {
    const rows = { slice: "notes", find: async () => [], repair: async () => true };
    expect(() => sweeper.add(rows)).toThrow('already has rows with the name "notes"');
  });

  it("is not held off by a job of another tenant that names the row", async () => {
    const [tenant, other] = [aTenant(), aTenant()];
    const noteId = await aWaitingNote(tenant);
    await test.database.transaction(other, { trace: continueTrace(undefined) }, (transaction) =>
      jobs.send(transaction, job, { tenantId: other.tenantId, noteId }, { startAfter: new Date("2100-01-01") }),
    );
    expect(await sweeper.lying()).toEqual({ notes: 1 });
    await setText(tenant.tenantId, noteId, "written");
  });

  it("ends a row whose job has used up its chances", async () => {
    refuse = true;
    const tenant = aTenant();
    const noteId = await aWaitingNote(tenant);
    await sweeper.sweep();
    // the dead letter is told first, and here it changes nothing
    await until(async () => (await sweeper.lying())["notes"] === 1);
    await sweeper.sweep();
    expect(ends).toEqual([
      expect.objectContaining({ message: "refused" }),
      expect.objectContaining({ message: "refused" }),
    ]);
    expect(await textOf(noteId)).toBe("failed");
    expect(await sweeper.lying()).toEqual({ notes: 0 });
  });

  it.each([undefined, true as const])(
    "finds a row behind 20,000 others whose jobs live (by since: %s)",
    async (bySince) => {
      const tenant = aTenant();
      const noteIds = Array.from({ length: 20_000 }, () => newId("evt"));
      const insert = "insert into catalog.notes select $1, unnest($2::uuid[]), 'waiting'";
      await sql.query(insert, [tenant.uuid, noteIds.map((noteId) => decodeId("evt", noteId))]);
      await test.database.transaction(tenant, { trace: continueTrace(undefined) }, (transaction) =>
        jobs.sendAll(
          transaction,
          job,
          noteIds.map((noteId) => ({ tenantId: tenant.tenantId, noteId })),
          { startAfter: new Date("2100-01-01") },
        ),
      );
      const waitingNote = await aWaitingNote(tenant);
      const rows = new JobRows(test.database, jobs, { ...waitingNotes, ...(bySince && { bySince }) });
      const position = {};
      expect(await rows.find(position)).toEqual([]);
      expect(await rows.find(position)).toMatchObject([{ id: waitingNote }]);
      // the search begins anew
      expect(await rows.find(position)).toEqual([]);
      await sql.query("delete from catalog.notes where tenant_id = $1", [tenant.uuid]);
    },
  );
});
