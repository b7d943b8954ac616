import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { DomainError } from "../../errors/domain-error.js";
import { continueTrace } from "../../telemetry/trace.js";
import type { Tenant } from "../../tenancy/tenant.js";
import { ensureCompiled } from "../../threads/compiled-worker.fixture.js";
import { aDatabase, aTenant, quiet, type TestDatabase } from "../../unit-of-work/database.fixture.js";
import {
  type JobAttempt,
  type JobDefinition,
  type JobEnd,
  type JobHandler,
  maintenance,
} from "../definitions/job-definition.js";
import { JobQueue } from "../queue/job-queue.js";
import { JobGate } from "../runs/job-gate.js";
import { JobProcess } from "../runs/job-process.js";
import type { FixturePayload } from "./child-work.fixture.js";
import { inChildProcess } from "./job-child.js";

const deadlineMs = 60_000;
/** Shorter times than in operation. */
const limits = { lookMs: 100, graceMs: 200, abortMs: 1000 };
const workspace = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const moduleUrl = (module: string) => new URL(`../../../dist/jobs/child-processes/${module}.js`, import.meta.url);

const definition = (queue: string): JobDefinition<FixturePayload> => ({
  queue,
  retryLimit: 1,
  retryDelaySeconds: 0,
  expireInSeconds: 300,
  concurrency: 1,
  concurrencyPerTenant: 1,
});

interface Trace {
  readonly pid: number;
  readonly attempt: number;
  readonly secret: string | null;
}

async function eventually<T>(conditionName: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const until = Date.now() + deadlineMs;
  for (;;) {
    const result = await look();
    if (result !== undefined && result !== false) return result;
    if (Date.now() > until) throw new Error(`Not within ${deadlineMs} ms: ${conditionName}`);
    await pause(50);
  }
}

const untilAborted = (_: unknown, { signal }: JobAttempt) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe("jobs in a child process", () => {
  let test: TestDatabase;
  let sql: pg.Client;
  let url: string;
  const queues: JobQueue[] = [];

  beforeAll(async () => {
    ensureCompiled(workspace, { entry: "jobs/child-processes/child-work.fixture.js", sources: "jobs/**/*.ts" });
    test = await aDatabase();
    url = test.definition.connections.worker;
    sql = new pg.Client({ connectionString: url });
    await sql.connect();
    await sql.query(
      "create table catalog_jobs.child_traces (tenant_id text, pid int, attempt int, secret text, at timestamptz default now())",
    );
  });
  afterAll(async () => {
    await Promise.all(queues.map((queue) => queue.stop()));
    await sql.end();
    await test.close();
  });

  interface Given {
    readonly aloneMs?: number;
    readonly others?: readonly JobDefinition<FixturePayload>[];
    readonly former?: JobProcess;
  }

  async function aQueue(job: JobDefinition<FixturePayload>, { aloneMs, others = [], former }: Given = {}) {
    const formerProcesses = former ? { former: [{ processId: former.processId, stopped: false }] } : {};
    const process = new JobProcess({ ...formerProcesses, gate: new JobGate(aloneMs), limits });
    const queue = new JobQueue(test.definition.connections, quiet, process);
    queues.push(queue);
    await queue.start([job, ...others]);
    const ends: JobEnd[] = [];
    const work = (here: JobHandler<FixturePayload>) =>
      queue.work(
        job,
        {
          here,
          inChild: inChildProcess<FixturePayload>({
            entry: moduleUrl("child-work.fixture"),
            settings: { url },
            answer: async () => {
              throw new DomainError("CREDENTIAL_NOT_FOUND", { detail: "of this tenant" });
            },
          }),
        },
        { abandoned: async (_, end) => void ends.push(end) },
      );
    return { queue, work, ends, process };
  }

  const send = (queue: JobQueue, job: JobDefinition<FixturePayload>, tenant: Tenant, name: string) =>
    test.database.transaction(tenant, { trace: continueTrace(undefined) }, (transaction) =>
      queue.send(transaction, job, { tenantId: tenant.tenantId, name }),
    );

  /** As three interruptions leave a job, and with `inChild` a whole run alone. */
  const moveAlone = (tenant: Tenant, inChild: boolean) =>
    sql.query(
      `with moved as (update catalog_jobs.job set name = name || '.alone' where group_id = $1 returning id, name)
       insert into catalog_jobs.job_runs (job_id, queue, retry_count, interruptions, in_child)
       select id, name, 0, 3, $2 from moved`,
      [tenant.tenantId, inChild],
    );

  const traces = async ({ tenantId }: Tenant) =>
    (
      await sql.query<Trace>(
        "select pid, attempt, secret from catalog_jobs.child_traces where tenant_id = $1 order by at",
        [tenantId],
      )
    ).rows;

  const stateOf = async ({ tenantId }: Tenant) =>
    (
      await sql.query<{ state: string; alone_interruptions: number }>(
        `select job.state, run.alone_interruptions from catalog_jobs.job join catalog_jobs.job_runs run on run.job_id = job.id
         where group_id = $1`,
        [tenantId],
      )
    ).rows[0];

  it("a job that needs longer than a run alone may take is finished in a child process", async () => {
    const job = definition("long");
    const tenant = aTenant();
    const { queue, work, ends } = await aQueue(job, { aloneMs: 1000 });
    await send(queue, job, tenant, "asks");
    await moveAlone(tenant, false);
    const attempts: number[] = [];
    await work((payload, attempt) => {
      attempts.push(attempt.attempt);
      return untilAborted(payload, attempt);
    });
    await eventually("it is completed", async () => (await stateOf(tenant))?.state === "completed" || undefined);
    const [trace, ...more] = await traces(tenant);
    expect(trace).toMatchObject({ attempt: 1, secret: "CREDENTIAL_NOT_FOUND of this tenant" });
    expect(trace?.pid).not.toBe(process.pid);
    expect([attempts, more, ends]).toEqual([[1], [], []]);
  });

  it("the death of the child leaves the process and other jobs alone, and its third ends the job as WORKER_DIED", async () => {
    const [job, other] = [definition("deadly"), definition("beside")];
    const tenant = aTenant();
    const { queue, work, ends } = await aQueue(job, { others: [other] });
    const ran: string[] = [];
    await queue.work(other, async ({ name }) => void ran.push(name), maintenance);
    await send(queue, job, tenant, "dies");
    await moveAlone(tenant, true);
    await work(async () => undefined);
    await send(queue, other, aTenant(), "beside");
    await eventually("it is given up", () => ends[0]);
    expect(ends).toEqual([expect.objectContaining({ code: "WORKER_DIED" })]);
    expect(await traces(tenant)).toHaveLength(3);
    await eventually("the other job runs", () => ran[0]);
  });

  it("the tables of a previous release are brought up to date at the start", async () => {
    const columns = async () =>
      (
        await sql.query<{ name: string }>(
          `select table_name as name from information_schema.columns
           where table_schema = 'catalog_jobs' and column_name = 'in_child' order by table_name`,
        )
      ).rows.map(({ name }) => name);
    await sql.query("alter table catalog_jobs.alone_runs drop column in_child");
    await sql.query("alter table catalog_jobs.job_runs drop column in_child");
    expect(await columns()).toEqual([]);
    await aQueue(definition("upgraded"));
    expect(await columns()).toEqual(["alone_runs", "job_runs"]);
  });

  it("a job whose child fails has failed once, with the error of the child", async () => {
    const job = definition("failing");
    const tenant = aTenant();
    const { queue, work, ends } = await aQueue(job);
    await send(queue, job, tenant, "fails");
    await moveAlone(tenant, true);
    await work(async () => undefined);
    await eventually("it is given up", () => ends[0]);
    expect(ends).toEqual([{ code: "RENDER_FAILED", message: "refused" }]);
    expect((await traces(tenant)).map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it("a child that runs past the job's own limit is ended, attempt by attempt, and the job ends as RUN_TOO_LONG", async () => {
    const job = { ...definition("endless"), expireInSeconds: 2 };
    const tenant = aTenant();
    const { queue, work, ends } = await aQueue(job);
    await send(queue, job, tenant, "waits");
    await moveAlone(tenant, true);
    await work(async () => undefined);
    await eventually("it is given up", () => ends[0]);
    expect(ends).toEqual([expect.objectContaining({ code: "RUN_TOO_LONG" })]);
    // a busy machine may end a child before it has left its trace
    const ran = await sql.query("select retry_count from catalog_jobs.alone_runs where group_id = $1 order by 1", [
      tenant.tenantId,
    ]);
    expect(ran.rows).toEqual([{ retry_count: 0 }, { retry_count: 1 }]);
    expect((await traces(tenant)).filter(({ pid }) => isAlive(pid))).toEqual([]);
  });

  it("a stop ends the child, gives its job back and costs no chance; other jobs ran beside it, one child at a time", async () => {
    const [job, other] = [definition("waiting"), definition("next-to-it")];
    const [tenant, second] = [aTenant(), aTenant()];
    const { queue, work } = await aQueue(job, { others: [other] });
    const ran: string[] = [];
    await queue.work(other, async ({ name }) => void ran.push(name), maintenance);
    for (const each of [tenant, second]) {
      await send(queue, job, each, "waits");
      await moveAlone(each, true);
    }
    await work(async () => undefined);
    const [trace] = await eventually("the child runs", async () => {
      const allTraces = [...(await traces(tenant)), ...(await traces(second))];
      return allTraces.length > 0 ? allTraces : undefined;
    });
    await send(queue, other, aTenant(), "beside");
    await eventually("the other job runs", () => ran[0]);
    expect(isAlive(trace?.pid ?? 0)).toBe(true);
    await queue.stop();
    expect(isAlive(trace?.pid ?? 0)).toBe(false);
    expect([...(await traces(tenant)), ...(await traces(second))]).toHaveLength(1);
    for (const each of [tenant, second])
      expect(await stateOf(each)).toMatchObject({
        state: expect.stringMatching(/^(created|retry)$/),
        alone_interruptions: 0,
      });
  });

  it("the death of the parent is no interruption: the next holder runs the job in a child of its own, and the first child ends", async () => {
    const job = definition("taken-over");
    const tenant = aTenant();
    const first = await aQueue(job);
    await send(first.queue, job, tenant, "waits");
    await moveAlone(tenant, true);
    await first.work(async () => undefined);
    const { pid } = await eventually("the child runs", async () => (await traces(tenant))[0]);
    const second = await aQueue(job, { former: first.process });
    await second.work(async () => undefined);
    const again = await eventually("another child runs it", async () => (await traces(tenant))[1]);
    expect(again).toMatchObject({ attempt: 1 });
    await eventually("the first child has ended", () => !isAlive(pid) || undefined);
    expect(await stateOf(tenant)).toMatchObject({ state: "active", alone_interruptions: 0 });
    await first.queue.stop();
    await second.queue.stop();
  });

  it("a child that never returns to its event loop ends with its parent", async () => {
    const tenant = aTenant();
    const script = `
      import { inChildProcess } from ${JSON.stringify(moduleUrl("job-child").href)};
      const run = inChildProcess({ entry: new URL(${JSON.stringify(moduleUrl("child-work.fixture").href)}), settings: ${JSON.stringify({ url })} });
      await run({ tenantId: ${JSON.stringify(tenant.tenantId)}, name: "spins" },
        { attempt: 1, lastAttempt: false, signal: new AbortController().signal });`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
    const { pid } = await eventually("the child runs", async () => (await traces(tenant))[0]);
    parent.kill("SIGKILL");
    await once(parent, "exit");
    await eventually("the child has ended", () => !isAlive(pid) || undefined);
  });
});
