import type { JsonObject } from "@factory/template-engine/json-value";
import { inputProblem } from "../../ground/input-problems/input-problem.js";
import type { WorkerClient, WorkerPool } from "../../workers/worker-pool/worker-pool.js";
import { type WorkerTask, workerTask } from "../../workers/worker-pool/worker-task.js";
import type { DerivedOrder } from "./derived-check.js";
import type { ParameterError } from "./parameter-error.js";
import type { CheckedParameters } from "./parameter-schema.js";
import type { SchemaFault } from "./schema-fitness.js";

interface ParameterOrder {
  readonly schema: unknown;
  readonly parameters: unknown;
  readonly templateNames?: readonly string[] | undefined;
}

/** The worker task that checks parameters by a schema. */
export const parameterTask = workerTask<ParameterOrder, CheckedParameters>("checkParameters", "quick");
/** The worker task that checks parameters by a derived schema. */
export const derivedTask = workerTask<DerivedOrder, ParameterError[]>("checkByDerivedSchema", "quick");
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
    return this.#check(parameterTask, input, { client, hint: "A pattern of the parameterSchema may backtrack." });
  }

  /** The same by a schema that was derived from the template, which itself has such a schema's defaults. */
  async derivedErrors(input: DerivedOrder, client?: WorkerClient): Promise<ParameterError[]> {
    return this.#check(derivedTask, input, { client, hint: "Send shorter values." });
  }

  /** The reason why the schema cannot check any parameters; undefined when it can. */
  async schemaFault(schema: JsonObject, client?: WorkerClient): Promise<SchemaFault | undefined> {
    const outcome = await this.#workers.run(schemaTask, { input: schema, timeoutMs: this.#timeoutMs, client });
    if (typeof outcome !== "string") return outcome.output;
    return { pointer: "", detail: `The check of the parameterSchema took ${this.#excess(outcome)} and was ended.` };
  }

  async #check<Input, Output>(
    task: WorkerTask<Input, Output>,
    input: Input,
    { client, hint }: { client: WorkerClient | undefined; hint: string },
  ): Promise<Output> {
    const outcome = await this.#workers.run(task, { input, timeoutMs: this.#timeoutMs, client });
    if (typeof outcome !== "string") return outcome.output;
    const detail = `The check of these parameters took ${this.#excess(outcome)} and was ended. ${hint}`;
    throw inputProblem("PARAMETERS_INVALID", { pointer: "/parameters", code: "FORMAT", detail });
  }

  #excess(cut: "timeout" | "memory"): string {
    return cut === "timeout" ? `more than ${this.#timeoutMs} ms` : "too much memory";
  }
}
