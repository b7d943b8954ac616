import { DomainError } from "@factory/runtime/errors/domain-error";
import type { JsonObject } from "@factory/template-engine/json-value";
import type { WorkerClient, WorkerPool } from "../worker-pool/worker-pool.js";
import { workerTask } from "../worker-pool/worker-task.js";
import type { CheckedParameters } from "./parameter-schema.js";
import type { SchemaFault } from "./schema-fitness.js";

interface ParameterOrder {
  readonly schema: unknown;
  readonly parameters: unknown;
  readonly templateNames?: readonly string[] | undefined;
}

export const parameterTask = workerTask<ParameterOrder, CheckedParameters>("checkParameters", "quick");
export const schemaTask = workerTask<JsonObject, SchemaFault | undefined>("checkSchema", "quick");

/** Checks parameters and their schemas in worker processes, since both run foreign patterns. */
export class ParameterChecker {
  readonly #workers: WorkerPool;
  readonly #timeoutMs: number;

  constructor(workers: WorkerPool, timeoutMs = 2000) {
    this.#workers = workers;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Refuses a name that neither the schema nor `templateNames` knows; without `templateNames`, names are left to the
   * schema. Throws PARAMETERS_INVALID when the check takes too long.
   */
  async checkParameters(input: ParameterOrder, client?: WorkerClient): Promise<CheckedParameters> {
    const outcome = await this.#workers.run(parameterTask, { input, timeoutMs: this.#timeoutMs, client });
    if (typeof outcome !== "string") return outcome.output;
    const detail = `Checking these parameters by the parameterSchema took ${this.#excess(outcome)}; a pattern of the schema may backtrack.`;
    throw new DomainError("PARAMETERS_INVALID", {
      detail,
      errors: [{ pointer: "/parameters", code: "FORMAT", detail }],
    });
  }

  /** Why no parameters can be checked by the schema; undefined when the schema is sound. */
  async schemaFault(schema: JsonObject, client?: WorkerClient): Promise<SchemaFault | undefined> {
    const outcome = await this.#workers.run(schemaTask, { input: schema, timeoutMs: this.#timeoutMs, client });
    if (typeof outcome !== "string") return outcome.output;
    return { pointer: "", detail: `Reading the parameterSchema took ${this.#excess(outcome)}.` };
  }

  #excess(cut: "timeout" | "memory"): string {
    return cut === "timeout" ? `more than ${this.#timeoutMs} ms` : "too much memory";
  }
}
