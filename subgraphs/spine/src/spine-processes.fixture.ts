import type { Principal } from "@factory/runtime/auth/principal";
import {
  aProcessPlace,
  type SubgraphProcess,
  SubgraphProcesses,
} from "@factory/runtime/faults/subgraph-process.fixture";
import type pg from "pg";
import { type Answer, SpineCaller } from "./spine-caller.fixture.js";
import type { SpineOperations } from "./spine-child.fixture.js";

const program = new URL("../dist/spine-child.fixture.js", import.meta.url);

/** This subgraph in one process after another, over one database. */
export class SpineProcesses extends SpineCaller {
  readonly admin: pg.Pool;
  readonly #processes: SubgraphProcesses<SpineOperations>;

  private constructor(processes: SubgraphProcesses<SpineOperations>) {
    super();
    this.#processes = processes;
    this.admin = processes.admin;
  }

  static async open(): Promise<SpineProcesses> {
    return new SpineProcesses(new SubgraphProcesses<SpineOperations>(await aProcessPlace("spine", program)));
  }

  get dataDir(): string {
    return this.#processes.dataDir;
  }

  /** The process that was started last. */
  get process(): SubgraphProcess<SpineOperations> {
    return this.#processes.process;
  }

  /** Starts the next process. */
  start(): Promise<void> {
    return this.#processes.start();
  }

  /** As `SubgraphProcesses.startMortal`. */
  startMortal(failpoint: string): Promise<boolean> {
    return this.#processes.startMortal(failpoint);
  }

  /** Asks the process that was started last. Rejects when that ends before its answer. */
  async ask(
    principal: Principal | undefined,
    document: string,
    variables: Record<string, unknown> = {},
    idempotencyKey?: string,
  ): Promise<Answer> {
    const answer = await this.process.call("ask", principal, document, variables, idempotencyKey);
    const { data = null, errors = [], replayed } = answer;
    return { data, errors, refusal: errors[0]?.extensions, replayed };
  }

  /** Runs a statement as the superuser. */
  rows<R>(sql: string, ...values: unknown[]): Promise<R[]> {
    return this.#processes.rows<R>(sql, ...values);
  }

  close(): Promise<void> {
    return this.#processes.close();
  }
}
