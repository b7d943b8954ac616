import pg from "pg";
import { createEvent, type Envelope } from "../messages/envelope.js";
import { continueTrace } from "../telemetry/trace.js";
import type { Tenant } from "../tenancy/tenant.js";
import { aDatabase, quiet, type TestDatabase } from "../unit-of-work/database.fixture.js";
import { PostgresBus, type PostgresBusOptions } from "./postgres-bus.js";

/** A bus in its own PostgreSQL, and a look behind it. */
export interface TestBus {
  readonly test: TestDatabase;
  /** As the superuser. */
  rows<R = Record<string, unknown>>(sql: string, ...values: unknown[]): Promise<R[]>;
  open(options?: PostgresBusOptions & { url?: string }): Promise<PostgresBus>;
  close(): Promise<void>;
}

export async function aBus(): Promise<TestBus> {
  const test = await aDatabase();
  const admin = new pg.Pool({ connectionString: test.url, max: 2 });
  admin.on("error", () => undefined);
  return {
    test,
    rows: async <R>(sql: string, ...values: unknown[]) => (await admin.query(sql, values)).rows as R[],
    open: ({ url = test.definition.connections.worker, ...options } = {}) => PostgresBus.open(url, quiet, options),
    async close() {
      await admin.end();
      await test.close();
    },
  };
}

/** An event about one of the tenant's aggregates. */
export const anEvent = (tenant: Tenant, aggregate: string, turn = 1): Envelope =>
  createEvent({ type: "TemplateRegistered", subject: `templates/${aggregate}`, data: { turn } }, tenant.tenantId, {
    trace: continueTrace(undefined),
  });
