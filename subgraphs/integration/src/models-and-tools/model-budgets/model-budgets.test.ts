import { newId } from "@factory/runtime/identifiers/wire-id";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import { Database } from "@factory/runtime/unit-of-work/database";
import { refusalOf } from "../../connections/vendor-calls/vendor-connection.fixture.js";
import { eventually, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";
import { integrationTables } from "../../tables.js";
import { ModelBudgets, type NamedBudget, type Reservation } from "./model-budgets.js";

let fixture: IntegrationFixture;
/** Each stands for a process. */
let databases: Database[];

beforeAll(async () => {
  fixture = await startIntegrationFixture();
  const definition = { connections: fixture.connections, ...integrationTables };
  databases = await Promise.all([1, 2].map(() => Database.open(definition, createLogger("test", "silent"))));
});

afterAll(async () => {
  await Promise.all(databases.map((database) => database.close()));
  await fixture.close();
});

const aTenant = () => tenantWithId(newId("ten"));
const budgets = () => fixture.integration.get(ModelBudgets);
const cause = { trace: continueTrace(undefined) };

const reserve = (tenant: Tenant, budget: NamedBudget, tokens: number, process = 0): Promise<Reservation> =>
  (databases[process] as Database).transaction(tenant, cause, (transaction) =>
    budgets().reserve(transaction, budget, tokens),
  );
const settle = (tenant: Tenant, reservation: Reservation, usedTokens: number) =>
  (databases[1] as Database).transaction(tenant, cause, (transaction) =>
    budgets().settle(transaction, reservation, usedTokens),
  );

/** Resolves when so many transactions wait for a row. */
const waiting = (count: number) =>
  eventually(async () => {
    const blockedRows = await fixture.rows(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return blockedRows.length === count ? true : undefined;
  });

describe("a budget of a model", () => {
  it("allows so many requests in all processes together, then says when to come back", async () => {
    const tenant = aTenant();
    const budget = { key: "m", requests: 10, perSeconds: 600 };
    const all = await Promise.allSettled(
      Array.from({ length: 30 }, (_, place) => reserve(tenant, budget, 1000, place % 2)),
    );
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    const refusal = await refusalOf(reserve(tenant, budget, 1000));
    expect(refusal).toMatchObject({ code: "RATE_LIMITED", facts: { budget: "m" } });
    // one request comes back every minute
    expect(refusal.facts["retryAfterSeconds"]).toBeGreaterThan(50);
    expect(refusal.facts["retryAfterSeconds"]).toBeLessThanOrEqual(60);
  });

  it("reserves tokens, and gives back those that were not used", async () => {
    const tenant = aTenant();
    const budget = { key: "m", tokens: 1000, perSeconds: 3600 };
    const reservation = await reserve(tenant, budget, 900);
    const refusal = await refusalOf(reserve(tenant, budget, 500));
    expect(refusal.code).toBe("RATE_LIMITED");
    // 400 tokens more are needed, while 1000 come back in an hour
    expect(Number(refusal.facts["retryAfterSeconds"])).toBeGreaterThan(1430);
    expect(Number(refusal.facts["retryAfterSeconds"])).toBeLessThanOrEqual(1440);
    await settle(tenant, reservation, 100);
    await reserve(tenant, budget, 890, 1);
    expect((await refusalOf(reserve(tenant, budget, 50))).code).toBe("RATE_LIMITED");
  });

  it("owes tokens that were used beyond the reservation", async () => {
    const tenant = aTenant();
    const budget = { key: "m", tokens: 1000, perSeconds: 3600 };
    await settle(tenant, await reserve(tenant, budget, 100), 1500);
    const refusal = await refusalOf(reserve(tenant, budget, 100));
    expect(Number(refusal.facts["retryAfterSeconds"])).toBeGreaterThan(2100);
  });

  it("comes back with time", async () => {
    const tenant = aTenant();
    const budget = { key: "m", requests: 2, tokens: 100, perSeconds: 3600 };
    await reserve(tenant, budget, 50);
    await reserve(tenant, budget, 50);
    expect((await refusalOf(reserve(tenant, budget, 50))).facts["retryAfterSeconds"]).toBeGreaterThan(1700);
    const anHourPasses = `update integration.model_budgets set request_at = request_at - interval '1 hour',
      token_at = token_at - interval '1 hour' where tenant_id = $1`;
    await fixture.rows(anHourPasses, tenant.uuid);
    await reserve(tenant, budget, 100);
  });

  it("refuses a call that is larger than the whole of it, without a time to come back", async () => {
    const refusal = await refusalOf(reserve(aTenant(), { key: "m", tokens: 100, perSeconds: 60 }, 101));
    expect(refusal).toMatchObject({ code: "RATE_LIMITED", facts: { budget: "m" } });
    expect(refusal.facts["retryAfterSeconds"]).toBeUndefined();
  });

  it("does not wait for another one in a circle while two calls move in opposite directions", async () => {
    const tenant = aTenant();
    const all = { tokens: 1000, perSeconds: 3600 };
    const [first, other] = [
      { key: "one", ...all },
      { key: "other", ...all },
    ];
    const reservations = [await reserve(tenant, first, 100), await reserve(tenant, other, 100)] as const;
    let attempts = 0;
    const move = (from: Reservation, to: NamedBudget) =>
      (databases[1] as Database).transaction(tenant, cause, async (transaction) => {
        attempts += 1;
        await budgets().lock(transaction, [to.key, from.budget]);
        await budgets().reserve(transaction, to, 100);
        await budgets().settle(transaction, from, 0);
      });
    const moves: Promise<void>[] = [];
    await (databases[0] as Database).transaction(tenant, cause, async (transaction) => {
      await budgets().lock(transaction, [first.key]);
      await transaction.execute("select 1");
      moves.push(move(reservations[1], first));
      await waiting(1);
      moves.push(move(reservations[0], other));
      await waiting(2);
    });
    await Promise.all(moves);
    // A deadlock would let one begin again.
    expect(attempts).toBe(2);
  });

  it("is one of each tenant and of each model", async () => {
    const [first, other] = [aTenant(), aTenant()];
    const budget = { key: "m", requests: 1, perSeconds: 600 };
    await reserve(first, budget, 1);
    await reserve(other, budget, 1);
    await reserve(first, { ...budget, key: "n" }, 1);
    expect((await refusalOf(reserve(first, budget, 1))).code).toBe("RATE_LIMITED");
  });

  it("is reserved for several calls at once, as if they came one by one", async () => {
    const [tenant, [firstDatabase]] = [aTenant(), databases as [Database, Database]];
    const budget = { key: "m", tokens: 1000, perSeconds: 3600 };
    const reserveAll = (all: readonly number[]) =>
      firstDatabase.transaction(tenant, cause, (transaction) =>
        budgets().reserveAll(
          transaction,
          all.map((tokens) => ({ budget, tokens })),
        ),
      );
    const reservation = (tokens: number) => ({ budget: "m", tokens, secondsPerToken: 3.6 });
    expect(await reserveAll([100, 2000, 300])).toEqual([
      reservation(100),
      expect.objectContaining({ code: "RATE_LIMITED" }),
      reservation(300),
    ]);
    // 600 are left, which is enough for the first and the last call
    expect(await reserveAll([400, 900, 150])).toEqual([
      reservation(400),
      expect.objectContaining({ code: "RATE_LIMITED" }),
      reservation(150),
    ]);
    expect((await refusalOf(reserve(tenant, budget, 60, 1))).code).toBe("RATE_LIMITED");
    await reserve(tenant, budget, 40, 1);
  });
});
