import type { JsonObject } from "@factory/template-engine/json-value";
import { inputProblem } from "../input-problems/input-problem.js";
import type { WorkerClient, WorkerPool } from "../worker-pool/worker-pool.js";
import { workerTask } from "../worker-pool/worker-task.js";
import type { CheckedParameters } from "./parameter-schema.js";
import type { SchemaFault } from "./schema-fitness.js";

interface ParameterOrder {
  readonly schema: unknown;
  readonly parameters: unknown;
  readonly templateNames?: readonly string[] | undefined;
}

/** The worker task that checks parameters by a schema. */
export const parameterTask = workerTask<ParameterOrder, CheckedParameters>("checkParameters", "quick");
/** The worker task that checks a schema itself. */
export const schemaTask = workerTask<JsonObject, SchemaFault | undefined>("checkSchema", "quick");

/** Checks parameters and their schemas in worker processes, since both run foreign regular expressions. */
export class ParameterChecker {
  readonly #workers: WorkerPool;
  readonly #timeoutMs: number;

  constructor(workers: WorkerPool, timeoutMs = 2000) {
    this.#workers = workers;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Refuses a name that is neither in the schema nor in `templateNames`; without `templateNames` only the schema
   * decides. Throws PARAMETERS_INVALID when the check takes too long.
   */
  async checkParameters(input: ParameterOrder, client?: WorkerClient): Promise<CheckedParameters> {
    const outcome = await this.#workers.run(parameterTask, { input, timeoutMs: this.#timeoutMs, client });
    if (typeof outcome !== "string") return outcome.output;
    const detail = `The check of these parameters took ${this.#excess(outcome)} and was ended. A pattern of the parameterSchema may backtrack.`;
    throw inputProblem("PARAMETERS_INVALID", { pointer: "/parameters", code: "FORMAT", detail });
  }

  /** The reason why the schema cannot check any parameters; undefined when it can. */
  async schemaFault(schema: JsonObject, client?: WorkerClient): Promise<SchemaFault | undefined> {
    const outcome = await this.#workers.run(schemaTask, { input: schema, timeoutMs: this.#timeoutMs, client });
    if (typeof outcome !== "string") return outcome.output;
    return { pointer: "", detail: `The check of the parameterSchema took ${this.#excess(outcome)} and was ended.` };
  }

  #excess(cut: "timeout" | "memory"): string {
    return cut === "timeout" ? `more than ${this.#timeoutMs} ms` : "too much memory";
  }
}
