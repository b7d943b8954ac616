import { openPool } from "@factory/runtime/connections/pool";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { isStatementTimeout } from "@factory/runtime/errors/database-failure";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Tenant } from "@factory/runtime/tenancy/tenant";

const connections = 4;
const timeout = "5s";

/** Reads whose cost depends on what was asked: on their own connections, planned for their values, ended after 5 s. */
export class SearchReader {
  readonly #pool: ReturnType<typeof openPool>;

  constructor(appUrl: string, logger: Logger) {
    const url = new URL(appUrl);
    const settings = { statement_timeout: timeout, plan_cache_mode: "force_custom_plan", jit: "off" };
    const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
    url.searchParams.set("options", options.join(" "));
    this.#pool = openPool(url.href, connections, logger);
  }

  /** `select` depends on `scope.tenant`; `$1` is the tenant. */
  async rows<R extends object>(select: string, tenant: Tenant, values: readonly unknown[]): Promise<R[]> {
    const { text } = tenantStatement("library search", select);
    try {
      const { rows } = await this.#pool.read<R>({ text, values: [tenant.uuid, ...values] }, tenant.caller);
      return rows;
    } catch (error) {
      if (isStatementTimeout(error))
        throw new DomainError("UNAVAILABLE", {
          detail: `The search took longer than ${timeout}. Narrow it with more filters or a longer capability.`,
        });
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}
