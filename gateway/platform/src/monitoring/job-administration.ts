import type { BusPublisher } from "@factory/runtime/bus/bus";
import type { BusDeadLetters } from "@factory/runtime/bus/dead-letters";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { JobOperations, JobPosition, OperatorJob } from "@factory/runtime/jobs/administration/job-operations";
import { createAuditRecord } from "@factory/runtime/messages/create-audit-record";
import type { Cause } from "@factory/runtime/messages/envelope";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { Counter, type Registry } from "prom-client";

interface AdministeredBus extends BusPublisher {
  readonly deadLetters: BusDeadLetters;
}

/** Lists and redrives all subgraphs' jobs, and the bus's dead letters. */
export class JobAdministration {
  readonly #subgraphs: readonly JobOperations[];
  readonly #bus: AdministeredBus;

  constructor(subgraphs: readonly JobOperations[], bus: AdministeredBus, registry: Registry) {
    this.#subgraphs = subgraphs;
    this.#bus = bus;
    countRepaired(subgraphs, registry);
  }

  /** Lists the jobs, newest first. */
  async list(after: string | undefined, limit: number) {
    const before = after === undefined ? undefined : positionOf(after);
    const pages = await Promise.all(this.#subgraphs.map((subgraph) => subgraph.list(before, limit + 1)));
    const jobs = pages.flat().sort((first, other) => (isBefore(first.position, other.position) ? 1 : -1));
    const page = jobs.slice(0, limit);
    const last = page.at(-1);
    const nextCursor = jobs.length > limit && last ? encode(last.position) : null;
    return { items: page.map(({ job }) => job), nextCursor };
  }

  redrive(queue: string, jobId: string, cause: Cause): Promise<OperatorJob> {
    const owner = this.#subgraphs.find((subgraph) => subgraph.has(queue));
    if (!owner)
      throw new DomainError("JOB_NOT_FOUND", {
        detail: "The queue does not exist. GET /jobs lists the jobs with their queues.",
      });
    return owner.redrive(queue, jobId, cause);
  }

  /** Lists the dead letters by consumer, oldest first. */
  async deadLetters(after: string | undefined, limit: number) {
    const letters = await this.#bus.deadLetters.list({ after: letterAfter(after), limit: limit + 1 });
    const items = letters.slice(0, limit);
    const last = items.at(-1);
    const nextCursor = letters.length > limit && last ? encode([last.position, last.consumer]) : null;
    return { items, nextCursor };
  }

  /** Sends a dead letter again. The bus has no outbox, so the audit record is published right after that. */
  async redriveLetter(consumer: string, position: string, cause: Cause): Promise<void> {
    const tenantId = isPosition(position) ? await this.#bus.deadLetters.redrive(consumer, position) : undefined;
    if (tenantId === undefined)
      throw new DomainError("NOT_FOUND", {
        detail:
          "The dead letter does not exist, or it was sent again already. GET /bus/dead-letters lists the dead letters.",
      });
    const subject = `dead-letters/${consumer}/${position}`;
    const action = { operation: "POST /bus/dead-letters/{consumer}/{position}/redrive", subject };
    const log = tenantId === "" ? platformTenantId : tenantId;
    await this.#bus.publish([createAuditRecord(action, { source: "gateway", tenantId: log, cause })]);
  }

  /** Orphaned row counts by slice. An orphaned row waits for a job that does not exist. */
  async lying(): Promise<Record<string, number>> {
    return Object.assign({}, ...(await Promise.all(this.#subgraphs.map((subgraph) => subgraph.lying()))));
  }
}

function countRepaired(subgraphs: readonly JobOperations[], registry: Registry): void {
  const counter: Counter<"slice"> = new Counter({
    name: "lying_rows_repaired_total",
    help: "Rows that waited for a job that did not exist, and were repaired.",
    labelNames: ["slice"],
    registers: [registry],
    collect: () => {
      counter.reset();
      for (const subgraph of subgraphs)
        for (const [slice, count] of Object.entries(subgraph.repaired())) counter.inc({ slice }, count);
    },
  });
}

/** Compares times as text, because all servers in a platform write times in the same format. */
function isBefore([at, id]: JobPosition, [otherAt, otherId]: JobPosition): boolean {
  return at === otherAt ? id < otherId : at < otherAt;
}

const encode = (parts: readonly string[]): string => Buffer.from(parts.join("|")).toString("base64url");

const isPosition = (text: string): boolean => /^\d{1,18}$/.test(text);

function letterAfter(cursor: string | undefined) {
  if (cursor === undefined) return undefined;
  const [position = "", ...consumer] = Buffer.from(cursor, "base64url").toString().split("|");
  if (isPosition(position)) return { consumer: consumer.join("|"), position };
  throw new DomainError("INVALID_CURSOR", {
    detail: "The cursor does not belong to this list. Use nextCursor of the previous page, or begin without a cursor.",
  });
}

function positionOf(cursor: string): JobPosition {
  const [at = "", id = ""] = Buffer.from(cursor, "base64url").toString().split("|");
  if (/^\d{4}-\d\d-\d\d [\d:.]+[+-][\d:]+$/.test(at) && /^[0-9a-f-]{36}$/.test(id)) return [at, id];
  throw new DomainError("INVALID_CURSOR", {
    detail: "The cursor does not belong to this list. Use nextCursor of the previous page, or begin without a cursor.",
  });
}
