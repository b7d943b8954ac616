import { continueTrace } from "../../telemetry/trace.js";
import type { Tenant } from "../../tenancy/tenant.js";
import { aDatabase, aTenant, quiet, type TestDatabase } from "../../unit-of-work/database.fixture.js";
import { maintenance } from "../definitions/job-definition.js";
import { type JobDefinition, JobQueue } from "./job-queue.js";

interface Payload {
  tenantId: string;
  name: string;
}

const definition = (queue: string, fair?: true): JobDefinition<Payload> => ({
  queue,
  retryLimit: 0,
  retryDelaySeconds: 1,
  expireInSeconds: 60,
  concurrency: 1,
  concurrencyPerTenant: 5,
  ...(fair ? { fair } : {}),
});

const many = 16;

describe("JobQueue", () => {
  let test: TestDatabase;
  let jobs: JobQueue;
  const fair = definition("fair", true);
  const plain = definition("plain");
  const sharedDefinition = { ...definition("shared"), concurrency: 2 };
  const wide = { ...definition("wide"), concurrency: many, concurrencyPerTenant: many };
  const prompt = definition("prompt");
  const unstorable = definition("unstorable");

  beforeAll(async () => {
    test = await aDatabase();
    jobs = new JobQueue(test.definition.connections, quiet);
    await jobs.start([fair, plain, sharedDefinition, wide, prompt, unstorable]);
  });
  afterAll(async () => {
    await jobs.stop();
    await test.close();
  });

  const sendBy = (sender: JobQueue, job: JobDefinition<Payload>, tenant: Tenant, name: string) =>
    test.database.transaction(tenant, { trace: continueTrace(undefined) }, (transaction) =>
      sender.send(transaction, job, { tenantId: tenant.tenantId, name }),
    );
  const send = (job: JobDefinition<Payload>, tenant: Tenant, name: string) => sendBy(jobs, job, tenant, name);

  async function worked(job: JobDefinition<Payload>, count: number): Promise<string[]> {
    const names: string[] = [];
    await new Promise<void>((resolve, reject) => {
      jobs
        .work(
          job,
          async ({ name }) => {
            names.push(name);
            if (names.length === count) resolve();
          },
          maintenance,
        )
        .catch(reject);
    });
    return names;
  }

  it("lets tenants take turns, each in its own order, however many jobs one of them has sent", async () => {
    const [large, small, late] = [aTenant(), aTenant(), aTenant()];
    for (let at = 1; at <= 6; at += 1) await send(fair, large, `large ${at}`);
    for (let at = 1; at <= 2; at += 1) await send(fair, small, `small ${at}`);
    await send(fair, late, "late 1");
    expect(await worked(fair, 9)).toEqual([
      "large 1",
      "small 1",
      "late 1",
      "large 2",
      "small 2",
      "large 3",
      "large 4",
      "large 5",
      "large 6",
    ]);
  });

  it("ends a job whose error holds text that PostgreSQL refuses", async () => {
    const tenant = aTenant();
    const abandonment = new Promise<string>((resolve) => {
      const fail = () => Promise.reject(new Error("the entry a\0b\ud800 is bad"));
      const resolveName = async ({ name }: Payload) => resolve(name);
      void jobs.work(unstorable, fail, { abandoned: resolveName });
    });
    await send(unstorable, tenant, "job");
    expect(await abandonment).toBe("job");
  });

  // a look every two seconds would be too late for all
  it("has as many jobs of one transaction at once as it may", async () => {
    const tenant = aTenant();
    let running = 0;
    const together = new Promise<void>((resolve) => {
      const handle = async () => {
        running += 1;
        if (running === wide.concurrency) resolve();
        await together;
      };
      void jobs.work(wide, handle, maintenance);
    });
    const payloads = Array.from({ length: many }, (_, at) => ({ tenantId: tenant.tenantId, name: `job ${at}` }));
    await test.database.transaction(tenant, { trace: continueTrace(undefined) }, (transaction) =>
      jobs.sendAll(transaction, wide, payloads),
    );
    await together;
  });

  it("takes a job when its transaction is committed", async () => {
    const tenant = aTenant();
    let tellName = (_name: string): void => undefined;
    await jobs.work(prompt, async ({ name }) => tellName(name), maintenance);
    for (let at = 0; at < many; at += 1) {
      const next = new Promise<string>((resolve) => (tellName = resolve));
      await send(prompt, tenant, `job ${at}`);
      expect(await next).toBe(`job ${at}`);
    }
  });

  it("finds what another process has sent, though one of its workers is busy", async () => {
    const tenant = aTenant();
    const elsewhere = new JobQueue(test.definition.connections, quiet);
    await elsewhere.start([sharedDefinition]);
    let release = () => undefined as void;
    const heldUntilRelease = new Promise<void>((resolve) => (release = resolve));
    await new Promise<void>((resolve) => {
      void jobs.work(
        sharedDefinition,
        async ({ name }) => {
          if (name === "second") return resolve();
          await sendBy(elsewhere, sharedDefinition, tenant, "second");
          await heldUntilRelease;
        },
        maintenance,
      );
      void send(sharedDefinition, tenant, "first");
    });
    release();
    await elsewhere.stop();
  });

  it("takes other jobs in the order they were sent, and none of a transaction that failed", async () => {
    const [tenant1, two] = [aTenant(), aTenant()];
    await send(plain, tenant1, "one 1");
    await send(plain, tenant1, "one 2");
    const failedTransaction = test.database.transaction(
      tenant1,
      { trace: continueTrace(undefined) },
      async (transaction) => {
        await jobs.send(transaction, plain, { tenantId: tenant1.tenantId, name: "never" });
        throw new Error("rolled back");
      },
    );
    await expect(failedTransaction).rejects.toThrow("rolled back");
    await send(plain, two, "two 1");
    expect(await worked(plain, 3)).toEqual(["one 1", "one 2", "two 1"]);
  });
});
