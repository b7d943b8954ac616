import { randomUUID } from "node:crypto";
import { defaultJobLimits, type JobLimits } from "../definitions/job-limits.js";
import { JobGate } from "./job-gate.js";

/** An earlier process on the same data directory. */
interface FormerProcess {
  readonly processId: string;
  /** Whether the process was stopped; otherwise it died. */
  readonly stopped: boolean;
}

/** This process's identity for its job queues, and the gate that all its jobs share. */
export class JobProcess {
  readonly processId: string;
  readonly former: readonly FormerProcess[];
  readonly gate: JobGate;
  readonly limits: JobLimits;

  /** `former`: processes that certainly ended, so that their jobs need not wait until a lease ends. */
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
