import { randomUUID } from "node:crypto";
import { defaultJobLimits, type JobLimits } from "../definitions/job-limits.js";
import { JobGate } from "./job-gate.js";

/** Who held the data directory before. */
export interface FormerProcess {
  readonly processId: string;
  /** It was told to stop; else it died. */
  readonly stopped: boolean;
}

/** The process as its job queues know it: whose jobs it runs, and which of them may run now. */
export class JobProcess {
  readonly processId: string;
  readonly former: readonly FormerProcess[];
  readonly gate: JobGate;
  readonly limits: JobLimits;

  /** `former` are gone for certain: their jobs need not wait until a lease has lapsed. */
  constructor({
    processId,
    former,
    gate,
    limits,
  }: {
    processId?: string;
    former?: readonly FormerProcess[];
    gate?: JobGate;
    limits?: Partial<JobLimits>;
  } = {}) {
    this.processId = processId ?? randomUUID();
    this.former = former ?? [];
    this.gate = gate ?? new JobGate();
    this.limits = { ...defaultJobLimits, ...limits };
  }
}
