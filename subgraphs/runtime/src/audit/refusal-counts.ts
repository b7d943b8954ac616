import type { AuditRecord } from "../messages/audit-record.js";
import { createAuditRecord } from "../messages/create-audit-record.js";
import type { Refusal } from "../messages/refusal.js";
import { platformTenantId } from "../tenancy/platform-tenant.js";

/** Limits for different refusals that are counted at the same time. */
export interface RefusalLimits {
  readonly maxPerTenant: number;
  readonly maxTotal: number;
}

/** The operation name in the record that counts a tenant's refusals above the limits. */
const furtherRefusals = "furtherRefusals";

const source = "gateway";

interface Counted {
  readonly tenantId: string;
  readonly refusal: Refusal;
  readonly firstAt: Date;
  lastAt: Date;
  count: number;
  readonly subject: string | undefined;
}

interface Further {
  count: number;
  readonly firstAt: Date;
  lastAt: Date;
  readonly trace: Refusal["trace"];
}

/**
 * So many subjects for otherwise equal refusals have their own records. Further ones share a record without a subject.
 */
const maxSubjects = 10;

/**
 * Counts equal refusals together: the same tenant, principal or address, operation, code and subject. Each tenant may
 * have so many different ones, and all tenants together; refusals above the limits are only counted, for each tenant in
 * one record.
 */
export class RefusalCounts {
  readonly #limits: RefusalLimits;
  readonly #counted = new Map<string, Counted>();
  readonly #differentOf = new Map<string, number>();
  readonly #subjectsOf = new Map<string, number>();
  readonly #further = new Map<string, Further>();

  constructor(limits: RefusalLimits) {
    this.#limits = limits;
  }

  get empty(): boolean {
    return this.#counted.size === 0 && this.#further.size === 0;
  }

  /** Counts the refusal. Returns false when its details were dropped because a limit is reached. */
  add(refusal: Refusal): boolean {
    const tenantId = refusal.tenantId ?? refusal.principal?.tenantId ?? platformTenantId;
    const common = keyOf(tenantId, refusal);
    const subjectKey = `${common} ${refusal.subject ?? ""}`;
    const subjects = this.#subjectsOf.get(common) ?? 0;
    const isShared = subjects >= maxSubjects && !this.#counted.has(subjectKey);
    const key = isShared ? common : subjectKey;
    const now = new Date();
    const equalRefusals = this.#counted.get(key);
    if (equalRefusals) {
      equalRefusals.count += 1;
      equalRefusals.lastAt = now;
      return true;
    }
    const different = this.#differentOf.get(tenantId) ?? 0;
    if (different >= this.#limits.maxPerTenant || this.#counted.size >= this.#limits.maxTotal) {
      this.#addFurther(tenantId, refusal, now);
      return false;
    }
    this.#differentOf.set(tenantId, different + 1);
    this.#subjectsOf.set(common, subjects + 1);
    const subject = isShared ? undefined : refusal.subject;
    this.#counted.set(key, { tenantId, refusal, firstAt: now, lastAt: now, count: 1, subject });
    return true;
  }

  /** The records of everything that was counted. The counts begin anew. */
  take(): AuditRecord[] {
    const records = [
      ...[...this.#counted.values()].map(recordOf),
      ...[...this.#further].map(([tenantId, further]) => furtherRecord(tenantId, further)),
    ];
    for (const counts of [this.#counted, this.#differentOf, this.#subjectsOf, this.#further]) counts.clear();
    return records;
  }

  /** Where more tenants than the limit have refusals, the platform's record counts the others. */
  #addFurther(tenantId: string, { trace }: Refusal, now: Date): void {
    const isListed = this.#further.has(tenantId) || this.#further.size < this.#limits.maxTotal;
    const log = isListed ? tenantId : platformTenantId;
    const refusalCount = this.#further.get(log);
    if (!refusalCount) this.#further.set(log, { count: 1, firstAt: now, lastAt: now, trace });
    else {
      refusalCount.count += 1;
      refusalCount.lastAt = now;
    }
  }
}

function keyOf(tenantId: string, { principal, origin, operation, code, clientId = "", email = "" }: Refusal): string {
  const who = principal
    ? [principal.subject, principal.actors?.[0] ?? "", principal.agentTaskId ?? ""]
    : [origin?.address ?? "", clientId, email];
  return JSON.stringify([tenantId, operation, code, ...who]);
}

function recordOf({ tenantId, refusal, count, firstAt, lastAt, subject }: Counted): AuditRecord {
  const { operation, code, status, trace, principal, clientId, origin, email } = refusal;
  const action = {
    ...({ operation, outcome: "Refused", code, status, subject } as const),
    ...(clientId === undefined ? {} : { clientid: clientId }),
    ...(email === undefined ? {} : { email }),
  };
  const record = createAuditRecord(action, { source, tenantId, cause: { trace, principal, origin } });
  return { ...record, time: lastAt.toISOString(), ...countOf(count, firstAt) };
}

function furtherRecord(tenantId: string, { trace, count, firstAt, lastAt }: Further): AuditRecord {
  const action = { operation: furtherRefusals, outcome: "Refused" } as const;
  const record = createAuditRecord(action, { source, tenantId, cause: { trace } });
  return { ...record, time: lastAt.toISOString(), ...countOf(count, firstAt) };
}

const countOf = (count: number, firstAt: Date) => (count === 1 ? {} : { count, firsttime: firstAt.toISOString() });
