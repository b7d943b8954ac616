import type { Principal } from "@factory/runtime/auth/principal";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { Database } from "@factory/runtime/unit-of-work/database";
import { aPrincipal, type IntegrationFixture, startIntegrationFixture } from "../integration.fixture.js";
import { integrationTables } from "../tables.js";
import { RunService } from "./run.service.js";
import { type RunHandler, RunOperations } from "./run-operations.js";
import type { RunRecord } from "./run-record.js";

/** Each test replaces the handler of its operation. */
const handlers: Partial<Record<"SendEmail" | "SendSms" | "OpenTicket", Partial<RunHandler>>> = {};

function handlerOf(operation: keyof typeof handlers): RunHandler {
  const own = () => handlers[operation] ?? {};
  return {
    get delaysSeconds() {
      return own().delaysSeconds ?? [];
    },
    get timeLimitSeconds() {
      return own().timeLimitSeconds ?? 5;
    },
    work: async (run, attempt) => own().work?.(run, attempt),
    ended: async (transaction, run, end) => own().ended?.(transaction, run, end),
    attemptFailed: async (transaction, run, error) => own().attemptFailed?.(transaction, run, error),
  };
}

describe("runs", () => {
  let fixture: IntegrationFixture;
  let database: Database;

  beforeAll(async () => {
    fixture = await startIntegrationFixture();
    const operations = fixture.integration.get(RunOperations);
    for (const operation of ["SendEmail", "SendSms", "OpenTicket"] as const)
      operations.add(operation, handlerOf(operation));
    database = await Database.open(
      { connections: fixture.connections, ...integrationTables },
      createLogger("test", "silent"),
    );
  });

  afterAll(async () => {
    await database.close();
    await fixture.close();
  });

  const service = () => fixture.integration.get(RunService);
  const start = (principal: Principal, operation: keyof typeof handlers, more = {}): Promise<RunRecord> =>
    database.transaction(
      tenantWithId(principal.tenantId ?? ""),
      { trace: continueTrace(undefined), actorId: principal.subject },
      (transaction) => service().startIn(transaction, { operation, ...more }),
    );
  const ended = (principal: Principal, { runId }: RunRecord) =>
    service().waitFor(tenantWithId(principal.tenantId ?? ""), runId, 20_000);
  const eventsOf = async ({ runId }: RunRecord) => {
    const found = await fixture.rows<{ type: string }>(
      "select envelope->>'type' as type from integration.outbox where envelope->>'subject' = $1 order by seq",
      `runs/${runId}`,
    );
    return found.map(({ type }) => type);
  };

  it("end with their result and say so in events, once", async () => {
    const principal = aPrincipal();
    const connectionId = newId("con");
    const effects: string[] = [];
    handlers.SendEmail = {
      work: async (run) => ({ echoed: run.payload["word"] }),
      ended: async (_, run, end) => void effects.push(`${run.status} ${JSON.stringify(end)}`),
    };
    const run = await start(principal, "SendEmail", { connectionId, payload: { word: "hello" } });
    expect(run).toMatchObject({ status: "Queued", attempts: 0, startedAt: null, connectionId });
    expect(await ended(principal, run)).toMatchObject({
      status: "Completed",
      attempts: 1,
      result: { echoed: "hello" },
      error: null,
      requestedBy: principal.subject,
      traceId: run.traceId,
    });
    expect(effects).toEqual(['Completed {"status":"Completed","result":{"echoed":"hello"}}']);
    expect(await eventsOf(run)).toEqual(["RunStarted", "RunCompleted"]);
  });
});
