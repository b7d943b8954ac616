import { availableParallelism } from "node:os";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { FileTree } from "@factory/template-engine/file-tree";
import type { Finding } from "@factory/template-engine/finding";
import type { JsonObject } from "@factory/template-engine/json-value";
import type { PatternLimits } from "@factory/template-engine/pattern-budget";
import type { RenderResult } from "@factory/template-engine/render";
import type { TemplateChoice } from "@factory/template-engine/template-choice";
import { TemplateError } from "@factory/template-engine/template-error";
import type { UpgradeAdvice, UpgradeInput } from "../compatibility/evaluate-upgrade.js";
import type { CheckedParameters } from "../parameters/parameter-schema.js";
import type { SchemaFault } from "../parameters/schema-fitness.js";
import type { RenderingAnswer, RenderOrder } from "../rendering/render-task.js";
import { cutCheck } from "../template-checks/cut-check.js";
import { packTree, unpackTree } from "./packed-tree.js";
import { RenderingLane } from "./worker-lane.js";

export interface RenderingLimits {
  readonly renderMs: number;
  readonly parametersMs: number;
  /** For all checks of one validation together. */
  readonly checksMs: number;
  readonly upgradeMs: number;
  readonly patterns?: PatternLimits;
}

/** For whom a process works: tenants take turns, and work that was given up is ended. */
export interface RenderingClient {
  readonly tenantId: string;
  readonly signal?: AbortSignal | undefined;
}

interface ParameterOrder {
  readonly schema: unknown;
  readonly parameters: unknown;
  readonly templateNames?: readonly string[] | undefined;
}

interface CheckOrder {
  readonly parameterSchema: unknown;
  readonly targetFramework: string;
  readonly template?: TemplateChoice;
  readonly checks: readonly string[];
  readonly withInfo?: boolean;
}

/** One tenant never holds all of them. */
const fewest = 2;
const most = 8;

const nobody: RenderingClient = { tenantId: "" };

const standardLimits: RenderingLimits = { renderMs: 30_000, parametersMs: 2000, checksMs: 30_000, upgradeMs: 15_000 };

/** Runs what a template or its schema asks for, and long calculations, in processes under limits of time and memory. */
export class RenderingPool {
  readonly #limits: RenderingLimits;
  readonly #renders: RenderingLane;
  /** Callers wait for these with the request open, so no render may stand before them. */
  readonly #parameterChecks: RenderingLane;

  /** `size`: how many processes render; as many check parameters. */
  constructor({ size, logger, limits }: { size?: number; logger: Logger; limits?: Partial<RenderingLimits> }) {
    this.#limits = { ...standardLimits, ...limits };
    // tests run the .ts files, processes need the compiled ones
    const compiled = import.meta.url.endsWith(".ts")
      ? "../../dist/rendering/rendering-process.js"
      : "./rendering-process.js";
    const lane = {
      size: Math.max(fewest, size ?? Math.min(most, availableParallelism())),
      logger,
      entry: new URL(compiled, import.meta.url),
    };
    this.#renders = new RenderingLane(lane);
    this.#parameterChecks = new RenderingLane(lane);
  }

  async render(files: FileTree, order: RenderOrder, client: RenderingClient = nobody): Promise<RenderResult> {
    const { files: packed, bytes } = packTree(files);
    const { renderMs, patterns } = this.#limits;
    const request = { kind: "render", files: packed, order: { ...order, patternLimits: patterns } } as const;
    const outcome = await this.#renders.run({ request, bytes, timeoutMs: renderMs, ...client });
    if (outcome === "timeout")
      throw new DomainError("RENDER_TIMEOUT", {
        detail: `The template did not render within ${renderMs} ms.`,
      });
    if (outcome === "memory") throw new TemplateError("RENDER_FAILED", "The template needs too much memory to render.");
    const { files: produced, kind: _, ...facts } = expected(outcome.answer, "rendered");
    return { ...facts, files: unpackTree(produced, outcome.bytes) };
  }

  /** With the template's own names what neither it nor the schema knows is refused. */
  async checkParameters(
    { schema, parameters, templateNames }: ParameterOrder,
    client: RenderingClient = nobody,
  ): Promise<CheckedParameters> {
    const limitMs = this.#limits.parametersMs;
    const request = { kind: "parameters", schema, parameters, templateNames } as const;
    const outcome = await this.#parameterChecks.run({ request, timeoutMs: limitMs, ...client });
    if (typeof outcome !== "string") return expected(outcome.answer, "parameters").checked;
    const amount = outcome === "timeout" ? `more than ${limitMs} ms` : "too much memory";
    const detail = `Checking these parameters by the parameterSchema took ${amount}; a pattern of the schema may backtrack.`;
    throw new DomainError("PARAMETERS_INVALID", {
      detail,
      errors: [{ pointer: "/parameters", code: "FORMAT", detail }],
    });
  }

  /** What keeps a schema from being used; undefined: nothing. */
  async schemaFault(schema: JsonObject, client: RenderingClient = nobody): Promise<SchemaFault | undefined> {
    const limitMs = this.#limits.parametersMs;
    const outcome = await this.#parameterChecks.run({
      request: { kind: "schema", schema },
      timeoutMs: limitMs,
      ...client,
    });
    if (typeof outcome !== "string") return expected(outcome.answer, "schema").fault;
    const amount = outcome === "timeout" ? `more than ${limitMs} ms` : "too much memory";
    return { pointer: "", detail: `Reading the parameterSchema took ${amount}.` };
  }

  /** The findings in the order of the checks asked for. */
  async runChecks(
    files: FileTree,
    { checks, ...subject }: CheckOrder,
    client: RenderingClient = nobody,
  ): Promise<{ findings: Finding[]; samples: number }> {
    const { files: packed, bytes } = packTree(files);
    const endsAt = performance.now() + this.#limits.checksMs;
    const findings: Finding[] = [];
    let samples = 0;
    for (const check of checks) {
      const timeoutMs = Math.max(1, endsAt - performance.now());
      const outcome = await this.#renders.run({
        request: { kind: "check", files: packed, check, ...subject },
        bytes,
        timeoutMs,
        ...client,
      });
      if (typeof outcome === "string") findings.push(cutCheck(check, outcome, this.#limits.checksMs));
      else {
        const checked = expected(outcome.answer, "checked");
        findings.push(...checked.findings);
        samples += checked.samples;
      }
    }
    return { findings, samples };
  }

  /** Tries many sets: too long for the process that answers everybody. */
  async upgradeAdvice(input: UpgradeInput, client: RenderingClient = nobody): Promise<UpgradeAdvice> {
    const timeoutMs = this.#limits.upgradeMs;
    const outcome = await this.#renders.run({ request: { kind: "upgrade", input }, timeoutMs, ...client });
    if (typeof outcome !== "string") return expected(outcome.answer, "upgrade").advice;
    throw new DomainError("UNAVAILABLE", { detail: "The advice took too long: ask for fewer libraries at once." });
  }

  async close(): Promise<void> {
    await Promise.all([this.#renders.close(), this.#parameterChecks.close()]);
  }
}

function expected<K extends RenderingAnswer["kind"]>(
  answer: RenderingAnswer,
  kind: K,
): Extract<RenderingAnswer, { kind: K }> {
  if (answer.kind === kind) return answer as Extract<RenderingAnswer, { kind: K }>;
  if (answer.kind === "refused") throw new TemplateError(answer.code, answer.message, answer.findings);
  if (answer.kind !== "broken") throw new Error(`A rendering process answered "${answer.kind}" instead of "${kind}".`);
  const error = new Error(answer.message);
  if (answer.stack !== undefined) error.stack = answer.stack;
  throw error;
}
