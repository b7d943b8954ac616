import { continueTrace } from "../../telemetry/trace.js";
import { aDatabase, aTenant, quiet, type TestDatabase } from "../../unit-of-work/database.fixture.js";
import type { JobDefinition } from "../definitions/job-definition.js";
import { JobQueue } from "../queue/job-queue.js";
import { waitingJobs } from "./waiting-jobs.js";

interface Payload {
  tenantId: string;
}

const definition = (queue: string): JobDefinition<Payload> => ({
  ...{ queue, retryLimit: 0, retryDelaySeconds: 0, expireInSeconds: 60, concurrency: 1, concurrencyPerTenant: 1 },
});
const [now, later] = [definition("now"), definition("later")];

describe("waitingJobs", () => {
  let test: TestDatabase;
  let jobs: JobQueue;

  beforeAll(async () => {
    test = await aDatabase();
    jobs = new JobQueue(test.definition.connections, quiet);
    await jobs.start([now, later]);
  });
  afterAll(async () => {
    await jobs.stop();
    await test.close();
  });

  it("counts the jobs that are due, by queue", async () => {
    const tenant = aTenant();
    await test.database.transaction(tenant, { trace: continueTrace(undefined) }, async (transaction) => {
      for (let job = 0; job < 3; job += 1) await jobs.send(transaction, now, { tenantId: tenant.tenantId });
      const startAfter = new Date(Date.now() + 3_600_000);
      await jobs.send(transaction, later, { tenantId: tenant.tenantId }, { startAfter });
    });
    expect(await waitingJobs(jobs)).toEqual([
      { kind: "queue", name: "later", waiting: 0, oldestSeconds: 0 },
      { kind: "queue", name: "now", waiting: 3, oldestSeconds: expect.any(Number) },
    ]);
    const [, waiting] = await waitingJobs(jobs);
    expect(waiting?.oldestSeconds).toBeGreaterThan(0);
  });
});
