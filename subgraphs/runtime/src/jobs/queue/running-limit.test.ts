import { continueTrace } from "../../telemetry/trace.js";
import { aDatabase, aTenant, quiet, type TestDatabase, until } from "../../unit-of-work/database.fixture.js";
import { maintenance, type TenantPayload } from "../definitions/job-definition.js";
import { type JobDefinition, JobQueue } from "./job-queue.js";

const limitedDefinition: JobDefinition<TenantPayload> = {
  queue: "limited",
  retryLimit: 0,
  retryDelaySeconds: 1,
  expireInSeconds: 60,
  concurrency: 8,
  concurrencyPerTenant: 2,
  limitInPayload: true,
  fair: true,
};

describe("the limit of running jobs in a payload", () => {
  let test: TestDatabase;
  let jobs: JobQueue;
  beforeAll(async () => {
    test = await aDatabase();
    jobs = new JobQueue(test.definition.connections, quiet);
    await jobs.start([limitedDefinition]);
  });
  afterAll(async () => {
    await jobs.stop();
    await test.close();
  });

  it("replaces the limit of the queue for that tenant", async () => {
    const limits = new Map([
      [aTenant(), 1],
      [aTenant(), 3],
      [aTenant(), undefined],
    ]);
    const expectedCounts = new Map([...limits].map(([{ tenantId }, limit = 2]) => [tenantId, limit]));
    const running = new Map<string, number>();
    const highest = new Map<string, number>();
    let endCount = 0;
    await jobs.work(
      limitedDefinition,
      async ({ tenantId }) => {
        const now = (running.get(tenantId) ?? 0) + 1;
        running.set(tenantId, now);
        highest.set(tenantId, Math.max(now, highest.get(tenantId) ?? 0));
        // the first ones wait until as many run as may
        await until(() => (highest.get(tenantId) ?? 0) >= (expectedCounts.get(tenantId) ?? 0));
        await new Promise((resolve) => setTimeout(resolve, 20));
        running.set(tenantId, (running.get(tenantId) ?? 1) - 1);
        endCount += 1;
      },
      maintenance,
    );
    for (const [tenant, runningLimit] of limits)
      await test.database.transaction(tenant, { trace: continueTrace(undefined) }, (transaction) =>
        jobs.sendAll(
          transaction,
          limitedDefinition,
          Array.from({ length: 40 }, () => ({
            tenantId: tenant.tenantId,
            ...(runningLimit === undefined ? {} : { runningLimit }),
          })),
        ),
      );
    await until(() => endCount === 120);
    expect(highest).toEqual(expectedCounts);
  });
});
