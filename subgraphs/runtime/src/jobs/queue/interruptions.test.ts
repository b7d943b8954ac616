import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { folderWatch } from "../../files/folder-watch.js";
import { PlatformFolder } from "../../files/platform-folder.js";
import { SmallDisk } from "../../files/small-disk.fixture.js";
import { continueTrace } from "../../telemetry/trace.js";
import type { Tenant } from "../../tenancy/tenant.js";
import { aDatabase, aTenant, quiet, type TestDatabase } from "../../unit-of-work/database.fixture.js";
import { type JobEnd, maintenance } from "../definitions/job-definition.js";
import type { JobLimits } from "../definitions/job-limits.js";
import { JobGate } from "../runs/job-gate.js";
import { JobProcess } from "../runs/job-process.js";
import { type JobAttempt, type JobDefinition, JobQueue } from "./job-queue.js";

interface Payload {
  tenantId: string;
  name: string;
}

const definition = (queue: string): JobDefinition<Payload> => ({
  queue,
  retryLimit: 1,
  retryDelaySeconds: 0,
  expireInSeconds: 300,
  concurrency: 1,
  concurrencyPerTenant: 1,
});

const deadlineMs = 60_000;
/** Shorter times than in operation. */
const limits = { lookMs: 100, outageDelaySeconds: 0.05, graceMs: 200, abortMs: 200 };
/** Ten looks: what may not begin would have begun by then. */
const tenLooksMs = 10 * limits.lookMs;

async function eventually<T>(conditionName: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const until = Date.now() + deadlineMs;
  for (;;) {
    const result = await look();
    if (result !== undefined && result !== false) return result;
    if (Date.now() > until) throw new Error(`Not within ${deadlineMs} ms: ${conditionName}`);
    await pause(50);
  }
}

/** A handler that never returns keeps its only worker busy, as a dead process would: it takes no other job. */
const hang = () => new Promise<never>(() => undefined);

describe("interrupted jobs", () => {
  let test: TestDatabase;
  let sql: pg.Client;
  const queues: JobQueue[] = [];

  beforeAll(async () => {
    test = await aDatabase();
    sql = new pg.Client({ connectionString: test.definition.connections.worker });
    await sql.connect();
  });
  afterAll(async () => {
    await Promise.all(queues.map((queue) => queue.stop()));
    await sql.end();
    await test.close();
  });

  interface Given {
    readonly former?: JobProcess;
    readonly stopped?: boolean;
    readonly gate?: JobGate;
    readonly beats?: Partial<JobLimits>;
  }

  async function aProcess(jobs: readonly JobDefinition<Payload>[], options: Given = {}) {
    const { former, stopped = false, gate = new JobGate(), beats } = options;
    const formerProcesses = former ? [{ processId: former.processId, stopped }] : [];
    const process = new JobProcess({ former: formerProcesses, gate, limits: { ...limits, ...beats } });
    const queue = new JobQueue(test.definition.connections, quiet, process);
    queues.push(queue);
    await queue.start(jobs);
    return { queue, process };
  }

  const send = (queue: JobQueue, job: JobDefinition<Payload>, tenant: Tenant, name = "job") =>
    test.database.transaction(tenant, { trace: continueTrace(undefined) }, (transaction) =>
      queue.send(transaction, job, { tenantId: tenant.tenantId, name }),
    );

  const notedRun = async (tenant: Tenant) => {
    const { rows } = await sql.query<{ interruptions: number; alone_interruptions: number; queue: string }>(
      `select run.interruptions, run.alone_interruptions, run.queue from catalog_jobs.job_runs run
       join catalog_jobs.job on job.id = run.job_id where group_id = $1`,
      [tenant.tenantId],
    );
    return rows[0];
  };

  it("start again at once when their process was killed, without the loss of an attempt", async () => {
    const job = definition("killed");
    const tenant = aTenant();
    const first = await aProcess([job]);
    let running = false;
    await first.queue.work(job, () => ((running = true), hang()), maintenance);
    await send(first.queue, job, tenant);
    await eventually("it runs", () => running || undefined);

    const second = await aProcess([job], { former: first.process });
    const { rows } = await sql.query("select state from catalog_jobs.job where group_id = $1", [tenant.tenantId]);
    expect(rows).toEqual([{ state: "retry" }]);
    const again = new Promise<JobAttempt>((resolve) => {
      void second.queue.work(job, async (_, attempt) => resolve(attempt), maintenance);
    });
    expect(await again).toMatchObject({ attempt: 1, lastAttempt: false });
    expect(await notedRun(tenant)).toMatchObject({ interruptions: 1, queue: "killed" });
  });

  it("are not counted as interrupted by a planned stop, and do not wait for a lease to lapse", async () => {
    const job = definition("stopped");
    const tenant = aTenant();
    const first = await aProcess([job]);
    let running = false;
    await first.queue.work(
      job,
      async (_, { signal }) => {
        running = true;
        await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
      maintenance,
    );
    await send(first.queue, job, tenant);
    await eventually("it runs", () => running || undefined);
    await first.queue.stop();

    const second = await aProcess([job], { former: first.process, stopped: true });
    const again = new Promise<JobAttempt>((resolve) => {
      void second.queue.work(job, async (_, attempt) => resolve(attempt), maintenance);
    });
    expect(await again).toMatchObject({ attempt: 1, lastAttempt: false });
    expect(await notedRun(tenant)).toMatchObject({ interruptions: 0, alone_interruptions: 0 });
  });

  it("cost no attempt when the database was lost, but not for ever", async () => {
    const job = definition("outage");
    const tenant = aTenant();
    const { queue } = await aProcess([job]);
    const attempts: number[] = [];
    let end: JobEnd | undefined;
    const connectionLoss = Object.assign(new Error("terminating connection"), { code: "57P01" });
    const handle = async (_: Payload, { attempt }: JobAttempt) => {
      attempts.push(attempt);
      throw connectionLoss;
    };
    await queue.work(job, handle, {
      abandoned: async (_, reason) => {
        end = reason;
      },
    });
    await send(queue, job, tenant);
    await eventually("it is given up", () => end);
    expect(attempts).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2]);
  });

  it("cost no attempt for lack of files: for ever while a folder of the platform fails, otherwise not", async () => {
    const job = definition("disk");
    const tenant = aTenant();
    const { queue } = await aProcess([job]);
    const disk = await SmallDisk.open();
    await disk.fill();
    const stopWatch = await folderWatch.start([new PlatformFolder("TMPDIR", disk.path)], quiet);
    const attempts: number[] = [];
    let end: JobEnd | undefined;
    const full = Object.assign(new Error("write"), { code: "ENOSPC", syscall: "write" });
    try {
      const handle = async (_: Payload, { attempt }: JobAttempt) => {
        attempts.push(attempt);
        throw full;
      };
      await queue.work(job, handle, { abandoned: async (_, reason) => void (end = reason) });
      await send(queue, job, tenant);
      await eventually(
        "it has run more often than a lost database is forgiven",
        () => attempts.length > 12 || undefined,
      );
      expect([new Set(attempts), end]).toEqual([new Set([1]), undefined]);
    } finally {
      await stopWatch();
      await disk.close();
    }
    await eventually("it is given up, since its own need may be the cause", () => end);
    expect(attempts.slice(-2)).toEqual([1, 2]);
  });

  it("run alone after the third death of their process, and end as WORKER_DIED after the third death alone", async () => {
    const job = definition("deadly");
    const other = { ...definition("harmless"), concurrency: 2 };
    const [tenant, neighbour] = [aTenant(), aTenant()];
    let former = (await aProcess([job, other])).process;
    await send(queues.at(-1) as JobQueue, job, tenant);
    const ran: string[] = [];
    const ends: JobEnd[] = [];
    for (let death = 1; death <= 6; death += 1) {
      const dead = queues.at(-1);
      const { queue, process } = await aProcess([job, other], { former });
      // its jobs were freed before, and this ends the rest
      await dead?.stop();
      let running = false;
      const die = () => ((running = true), hang());
      await queue.work(job, die, { abandoned: async (_, end) => void ends.push(end) });
      await eventually(`run ${death}`, () => running || undefined);
      if (death === 4) {
        // beside a job that runs alone no other one starts, in the whole process
        await queue.work(other, async ({ name }) => void ran.push(name), maintenance);
        await send(queue, other, neighbour, "beside");
        await pause(tenLooksMs);
        expect(ran).toEqual([]);
      }
      // a dead process starts nothing, though its object here still looks for work until it is told to go
      process.gate.charge({ startedAt: Date.now(), endedAt: Date.now() + process.gate.budgetMs });
      former = process;
    }
    expect(await notedRun(tenant)).toMatchObject({ interruptions: 3, alone_interruptions: 2, queue: "deadly.alone" });
    const dead = queues.at(-1);
    const last = await aProcess([job, other], { former });
    await dead?.stop();
    await last.queue.work(other, async ({ name }) => void ran.push(name), maintenance);
    await last.queue.work(job, hang, { abandoned: async (_, end) => void ends.push(end) });
    await eventually("it is given up", () => ends[0]);
    expect(ends).toEqual([expect.objectContaining({ code: "WORKER_DIED" })]);
    await eventually("the other job runs", () => ran[0]);
  });

  it("are cut off when the time for runs alone is used up, and keep their chances", async () => {
    const job = definition("slow");
    const tenant = aTenant();
    await sql.query("delete from catalog_jobs.alone_runs");
    const gate = new JobGate(60_000, 500);
    gate.charge({ startedAt: Date.now() - 61_000, endedAt: Date.now() - 2000 });
    const { queue } = await aProcess([job], { gate });
    let cut = false;
    const attempts: number[] = [];
    await queue.work(
      { ...job, concurrency: 0 },
      async (_, { attempt, signal }) => {
        attempts.push(attempt);
        await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
      { abandoned: async () => Promise.reject(new Error("it has not ended")) },
    );
    await send(queue, job, tenant);
    await sql.query("update catalog_jobs.job set name = 'slow.alone' where group_id = $1", [tenant.tenantId]);
    await eventually("it runs", () => attempts[0]);
    await eventually("it is cut off", async () => {
      const { rows } = await sql.query("select state from catalog_jobs.job where group_id = $1", [tenant.tenantId]);
      cut = rows[0]?.state === "retry";
      return cut || undefined;
    });
    expect(await notedRun(tenant)).toMatchObject({ interruptions: 0, alone_interruptions: 0, queue: "slow.alone" });
    await pause(tenLooksMs);
    expect(attempts).toEqual([1]);
  });

  it("are freed when the lease of a process elsewhere has lapsed, which is an interruption and no attempt", async () => {
    const job = definition("elsewhere");
    const tenant = aTenant();
    const first = await aProcess([job], { beats: { beatMs: 500, steadyMs: 1000 } });
    await send(first.queue, job, tenant);
    const dead = new JobProcess().processId;
    await sql.query(
      `with taken as (update catalog_jobs.job set state = 'active', started_on = now() where group_id = $1 returning id),
         process as (insert into catalog_jobs.job_processes values ($2, now() - interval '1 minute'))
       insert into catalog_jobs.job_runs (job_id, queue, process_id, retry_count, started_at)
       select id, 'elsewhere', $2, 0, now() from taken`,
      [tenant.tenantId, dead],
    );
    const again = new Promise<JobAttempt>((resolve) => {
      void first.queue.work(job, async (_, attempt) => resolve(attempt), maintenance);
    });
    expect(await again).toMatchObject({ attempt: 1, lastAttempt: false });
    expect(await notedRun(tenant)).toMatchObject({ interruptions: 1 });
  });
});

describe("dead letters", () => {
  let test: TestDatabase;
  let queue: JobQueue;
  let sql: pg.Client;
  const ownedDefinition = { ...definition("owned"), retryLimit: 0 };
  const upkeep = { ...definition("upkeep"), retryLimit: 0 };

  beforeAll(async () => {
    test = await aDatabase();
    queue = new JobQueue(test.definition.connections, quiet, new JobProcess({ limits }));
    await queue.start([ownedDefinition, upkeep]);
    sql = new pg.Client({ connectionString: test.definition.connections.worker });
    await sql.connect();
  });
  afterAll(async () => {
    await queue.stop();
    await sql.end();
    await test.close();
  });

  const send = (job: JobDefinition<Payload>, tenant: Tenant) =>
    test.database.transaction(tenant, { trace: continueTrace(undefined) }, (transaction) =>
      queue.send(transaction, job, { tenantId: tenant.tenantId, name: "job" }),
    );
  const refuse = async () => {
    throw Object.assign(new Error("refused"), { code: "RENDER_FAILED" });
  };

  it("end in a state: the owner of the row is told, as often as it takes", async () => {
    const tenant = aTenant();
    const reportedEnds: [Payload, JobEnd][] = [];
    await queue.work(ownedDefinition, refuse, {
      abandoned: async (payload, end) => {
        reportedEnds.push([payload, end]);
        if (reportedEnds.length === 1) throw new Error("not now");
      },
    });
    await send(ownedDefinition, tenant);
    await eventually("it is told twice", async () => {
      // the next attempt comes now
      await sql.query("update catalog_jobs.job set start_after = now() where state = 'retry'");
      return reportedEnds[1];
    });
    const call = [
      { tenantId: tenant.tenantId, name: "job" },
      { code: "RENDER_FAILED", message: "refused" },
    ];
    expect(reportedEnds).toEqual([call, call]);
  });

  it("of maintenance are sent again later", async () => {
    const tenant = aTenant();
    await queue.work(upkeep, refuse, maintenance);
    await send(upkeep, tenant);
    const later = async () =>
      (
        await sql.query<{ data: Payload }>(
          "select data from catalog_jobs.job where group_id = $1 and state = 'created' and start_after > now()",
          [tenant.tenantId],
        )
      ).rows[0];
    expect(await eventually("it is sent again", later)).toEqual({ data: { tenantId: tenant.tenantId, name: "job" } });
  });
});
