import { randomUUID } from "node:crypto";
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

  /** `former` are gone for certain: their jobs need not wait until a lease has lapsed. */
  constructor({
    processId,
    former,
    gate,
  }: { processId?: string; former?: readonly FormerProcess[]; gate?: JobGate } = {}) {
    this.processId = processId ?? randomUUID();
    this.former = former ?? [];
    this.gate = gate ?? new JobGate();
  }
}
