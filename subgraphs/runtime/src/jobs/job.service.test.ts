import { setTimeout as pause } from "node:timers/promises";
import type { Principal } from "../auth/principal.js";
import { CursorSeal } from "../pagination/cursor.js";
import { someMasterKeys } from "../sealing/master-keys.fixture.js";
import { continueTrace } from "../telemetry/trace.js";
import { requestContext } from "../tenancy/request-context.js";
import type { Tenant } from "../tenancy/tenant.js";
import { aDatabase, aTenant, quiet, type TestDatabase } from "../unit-of-work/database.fixture.js";
import { JobService } from "./job.service.js";
import type { JobType } from "./job.type.js";
import { type JobDefinition, JobQueue } from "./queue/job-queue.js";

interface Payload {
  tenantId: string;
  name: string;
}

const definition = (queue: string): JobDefinition<Payload> => ({
  queue,
  retryLimit: 0,
  retryDelaySeconds: 0,
  expireInSeconds: 60,
  concurrency: 4,
  concurrencyPerTenant: 4,
  subject: "name",
});
const mail = definition("mail");
const run = { ...definition("run"), notRedrivable: "The run has ended. Start a new one." };
const execution = { ...definition("execution"), retriedBy: "retryExecution" };

describe("jobs as a tenant sees them", () => {
  let test: TestDatabase;
  let jobs: JobQueue;
  let service: JobService;
  let refuse = true;
  const ran: string[] = [];
  const revivedNames: string[] = [];

  beforeAll(async () => {
    test = await aDatabase();
    jobs = new JobQueue(test.definition.connections, quiet);
    await jobs.start([mail, execution, run]);
    const owner = {
      abandoned: async () => undefined,
      revived: async (_: unknown, { name }: Payload) => void revivedNames.push(name),
    };
    const handle = async ({ name }: Payload) => {
      ran.push(name);
      if (refuse) throw Object.assign(new Error("The secret is 1234"), { code: "EACCES" });
    };
    await jobs.work(mail, handle, owner);
    await jobs.work(execution, handle, owner);
    await jobs.work(run, handle, owner);
    service = new JobService(test.database, jobs, new CursorSeal(someMasterKeys(1).keyring("list cursors")));
  });
  afterAll(async () => {
    await jobs.stop();
    await test.close();
  });

  const contextOf = ({ tenantId }: Tenant, key?: string) =>
    requestContext({
      principal: { subject: "cli_a", tenantId } as Principal,
      trace: continueTrace(undefined),
      idempotencyKey: key,
    });
  const send = (job: JobDefinition<Payload>, tenant: Tenant, name: string) =>
    test.database.transaction(tenant, { trace: continueTrace(undefined) }, (transaction) =>
      jobs.send(transaction, job, { tenantId: tenant.tenantId, name }),
    );

  /** Once their dead letters are worked. */
  async function failedJobs(tenant: Tenant, count: number): Promise<JobType[]> {
    for (let looksLeft = 600; looksLeft > 0; looksLeft -= 1) {
      const { items } = await service.list(contextOf(tenant), {});
      const failedJobs = items.filter(({ state }) => state === "Failed");
      const { rows } = await jobs.sql.executeSql(
        "select true from catalog_jobs.job where group_id = $1 and name like '%.dead' and state = 'completed'",
        [tenant.tenantId],
      );
      if (failedJobs.length === count && rows.length === count) return failedJobs;
      await pause(100);
    }
    throw new Error("not within 30 s");
  }

  it("are listed and sent again by their own tenant alone, once, and without what is for the log", async () => {
    const [tenant, other] = [aTenant(), aTenant()];
    await send(mail, tenant, "letter");
    const [job] = await failedJobs(tenant, 1);
    expect(job).toEqual(
      expect.objectContaining({
        queue: "mail",
        state: "Failed",
        subjectId: "letter",
        attempts: 1,
        reason: "An internal error occurred.",
        redrivable: true,
        retriedBy: null,
      }),
    );
    const jobId = job?.jobId ?? "";
    expect((await service.list(contextOf(other), {})).items).toEqual([]);
    const unknown = { code: "JOB_NOT_FOUND" };
    await expect(service.redrive(contextOf(other), "redriveCatalogJob", jobId)).rejects.toMatchObject(unknown);
    await expect(service.redrive(contextOf(tenant), "redriveCatalogJob", "x")).rejects.toMatchObject(unknown);

    refuse = false;
    const redriven = await service.redrive(contextOf(tenant), "redriveCatalogJob", jobId);
    expect(redriven).toMatchObject({ jobId, state: "Redriven", redrivable: false });
    await expect(service.redrive(contextOf(tenant), "redriveCatalogJob", jobId)).rejects.toMatchObject({
      code: "INVALID_STATE",
    });
    for (let looksLeft = 600; ran.filter((name) => name === "letter").length < 2 && looksLeft > 0; looksLeft -= 1)
      await pause(100);
    expect(ran.filter((name) => name === "letter")).toHaveLength(2);
    expect(revivedNames).toEqual(["letter"]);
    // the handler has run; the queue records the job's end a moment later
    const listedJobs = async () => (await service.list(contextOf(tenant), {})).items;
    for (let looksLeft = 600; (await listedJobs()).length > 0 && looksLeft > 0; looksLeft -= 1) await pause(100);
    expect(await listedJobs()).toEqual([]);
  });

  it("are not sent again when what they worked for has ended: the operation that tries again is named", async () => {
    refuse = true;
    const tenant = aTenant();
    await send(execution, tenant, "ended");
    const [job] = await failedJobs(tenant, 1);
    expect(job).toMatchObject({ redrivable: false, retriedBy: "retryExecution" });
    await expect(service.redrive(contextOf(tenant), "redriveCatalogJob", job?.jobId ?? "")).rejects.toMatchObject({
      code: "INVALID_STATE",
      facts: { detail: expect.stringContaining("retryExecution") },
    });
  });

  it("are not sent again when no operation repeats their work, and the refusal gives the reason", async () => {
    refuse = true;
    const tenant = aTenant();
    await send(run, tenant, "ended");
    const [job] = await failedJobs(tenant, 1);
    expect(job).toMatchObject({ redrivable: false, retriedBy: null });
    await expect(service.redrive(contextOf(tenant), "redriveCatalogJob", job?.jobId ?? "")).rejects.toMatchObject({
      code: "INVALID_STATE",
      facts: { detail: "The run has ended. Start a new one." },
    });
    const past = test.database.transaction(tenant, { trace: continueTrace(undefined) }, (transaction) =>
      jobs.redrive(transaction, run, job?.jobId ?? ""),
    );
    await expect(past).rejects.toMatchObject({ code: "55000" });
  });

  it("are listed page by page, newest first", async () => {
    refuse = true;
    const tenant = aTenant();
    for (const name of ["one", "two", "three"]) await send(mail, tenant, name);
    await failedJobs(tenant, 3);
    const first = await service.list(contextOf(tenant), { first: 2 });
    expect(first.items.map(({ subjectId }) => subjectId)).toEqual(["three", "two"]);
    const second = await service.list(contextOf(tenant), { first: 2, after: first.nextCursor });
    expect(second.items.map(({ subjectId }) => subjectId)).toEqual(["one"]);
    expect(second.nextCursor).toBeNull();
  });
});
