import { DomainError } from "@factory/runtime/errors/domain-error";
import type { JobOperations, JobPosition, OperatorJob } from "@factory/runtime/jobs/job-operations";
import { Counter, type Registry } from "prom-client";

/** The jobs of all subgraphs, as one list. */
export class JobAdministration {
  readonly #subgraphs: readonly JobOperations[];

  constructor(subgraphs: readonly JobOperations[], registry: Registry) {
    this.#subgraphs = subgraphs;
    countRepaired(subgraphs, registry);
  }

  /** Newest first. */
  async list(after: string | undefined, limit: number) {
    const before = after === undefined ? undefined : positionOf(after);
    const pages = await Promise.all(this.#subgraphs.map((subgraph) => subgraph.list(before, limit + 1)));
    const found = pages.flat().sort((one, other) => (isBefore(one.position, other.position) ? 1 : -1));
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const nextCursor = found.length > limit && last ? cursorOf(last.position) : null;
    return { items: page.map(({ job }) => job), nextCursor };
  }

  redrive(queue: string, jobId: string, actorId: string): Promise<OperatorJob> {
    const owner = this.#subgraphs.find((subgraph) => subgraph.has(queue));
    if (!owner) throw new DomainError("JOB_NOT_FOUND", { detail: "There is no such queue." });
    return owner.redrive(queue, jobId, actorId);
  }

  /** Rows that wait for work which will not come, by slice. */
  async lying(): Promise<Record<string, number>> {
    return Object.assign({}, ...(await Promise.all(this.#subgraphs.map((subgraph) => subgraph.lying()))));
  }
}

function countRepaired(subgraphs: readonly JobOperations[], registry: Registry): void {
  const counter: Counter<"slice"> = new Counter({
    name: "lying_rows_repaired_total",
    help: "Rows that waited for background work which would not have come, and were repaired.",
    labelNames: ["slice"],
    registers: [registry],
    collect: () => {
      counter.reset();
      for (const subgraph of subgraphs)
        for (const [slice, count] of Object.entries(subgraph.repaired())) counter.inc({ slice }, count);
    },
  });
}

/** All servers of a platform write times in one form, so their text is in order. */
function isBefore([at, id]: JobPosition, [otherAt, otherId]: JobPosition): boolean {
  return at === otherAt ? id < otherId : at < otherAt;
}

const cursorOf = (position: JobPosition): string => Buffer.from(position.join("|")).toString("base64url");

function positionOf(cursor: string): JobPosition {
  const [at = "", id = ""] = Buffer.from(cursor, "base64url").toString().split("|");
  if (/^\d{4}-\d\d-\d\d [\d:.]+[+-][\d:]+$/.test(at) && /^[0-9a-f-]{36}$/.test(id)) return [at, id];
  throw new DomainError("INVALID_CURSOR", { detail: "The cursor was not made by this list." });
}
