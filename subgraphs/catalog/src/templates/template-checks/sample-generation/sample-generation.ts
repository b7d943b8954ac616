import type { FileTree } from "@factory/template-engine/file-tree";
import type { Finding } from "@factory/template-engine/finding";
import { isJsonObject, type JsonObject } from "@factory/template-engine/json-value";
import { type RenderResult, render } from "@factory/template-engine/render";
import { TemplateError } from "@factory/template-engine/template-error";
import { loadTemplatePack, type TemplatePack } from "@factory/template-engine/template-pack";
import { compileOffline, SchemaError } from "../../parameters/offline-schema.js";
import { reservedName } from "../../parameters/parameter-schema.js";
import { schemaProblem } from "../../parameters/schema-limits.js";
import type { CheckOutcome, CheckSubject } from "../findings/check-subject.js";
import { finding } from "../findings/finding-codes.js";
import { versionsUnderCentralManagement } from "../output/central-packages.js";
import { OutputInspector } from "../output/inspect-output.js";
import { frameworkMismatch, producedFrameworks } from "../output/produced-frameworks.js";
import { type Sample, sampleRequests } from "./sample-requests.js";

const standardName = "SampleApp";
const seed = "sample";
const now = new Date(Date.UTC(2024, 0, 2, 3, 4, 5));
/** No sample starts after this time. The running sample may use the rest of the checks' time limit. */
const maxRenderingMs = 12_000;
const maxShownParameters = 300;
const collisionSuggestion =
  "Give each file a path that differs from all others in more than upper and lower case, for all parameters.";
/** The engine's message when a path is both a file and a folder. */
const pathCollision = /to be a folder, but it is a file/;

/** Renders the template with sample parameters and checks the produced files. */
export async function sampleGeneration(files: FileTree, subject: CheckSubject): Promise<CheckOutcome> {
  let pack: TemplatePack;
  try {
    pack = loadTemplatePack(files, subject.template);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { findings: [finding("SampleRenderFailed", `The template cannot be read: ${error.message}`)], samples: 0 };
  }
  const schema = await usableSchema(subject.parameterSchema);
  const run = new SampleRun(pack);
  const endsAt = performance.now() + maxRenderingMs;
  const samples = await sampleRequests(schema, pack.config.symbols);
  for (const sample of samples) {
    run.add(sample);
    if (performance.now() > endsAt) break;
  }
  const findings = [...run.findings(), ...frameworkMismatch(run.frameworks, subject.targetFramework)];
  return { findings: run.samples === 0 ? [noSample()] : findings, samples: run.samples };
}

function noSample(): Finding {
  const message = "No sample was rendered, because no parameters were found that the parameterSchema accepts.";
  const suggestion = "Add a default or examples to the required properties.";
  return finding("SampleRenderFailed", message, { suggestion, severity: "Warning" });
}

/** An empty schema replaces one that is faulty, so that the template is still tried with its own defaults. */
async function usableSchema(schema: unknown): Promise<JsonObject> {
  if (isJsonObject(schema) && !schemaProblem(schema)) {
    try {
      await compileOffline(schema);
      return schema;
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
    }
  }
  return { type: "object" };
}

class SampleRun {
  samples = 0;
  readonly frameworks: { path: string; moniker: string }[] = [];
  readonly #findings = new Map<string, Finding>();
  readonly #pack: TemplatePack;
  readonly #inspector: OutputInspector;
  readonly #faultyByDefault = new Set<string>();

  constructor(pack: TemplatePack) {
    this.#pack = pack;
    const { sourceName, symbols } = pack.config;
    const symbolNames = [...symbols.keys()];
    // a symbol may write the sourceName again on purpose
    const returns =
      sourceName !== null && [...symbols.values()].some(({ raw }) => JSON.stringify(raw).includes(sourceName));
    this.#inspector = new OutputInspector({ sourceName: returns ? null : sourceName, symbolNames });
  }

  findings(): Finding[] {
    return [...this.#findings.values()];
  }

  add(sample: Sample): void {
    this.samples++;
    const { [reservedName]: sampleName } = sample.parameters;
    const name = typeof sampleName === "string" && sampleName.trim() !== "" ? sampleName : standardName;
    const result = this.#render(sample, name);
    if (!result) return;
    if (this.samples === 1) this.#renderAgain(sample, { name, rendered: result });
    const { files, primaryOutputs, warnings } = result;
    if (files.size === 0) this.#report(finding("NoFilesProduced", `No file is produced with ${shown(sample)}.`), "");
    for (const path of primaryOutputs) {
      if (files.has(path)) continue;
      this.#report(
        finding("PrimaryOutputNotProduced", `The primary output is not produced with ${shown(sample)}.`, { path }),
        path,
      );
    }
    this.#conditions(sample, warnings);
    this.#collisions(sample, warnings);
    for (const fault of this.#inspector.inspect(files, name)) this.#report(fault, `${fault.path}`);
    for (const fault of versionsUnderCentralManagement(files)) this.#report(fault, `${fault.path}`);
    this.frameworks.push(...producedFrameworks(files));
  }

  #render({ given, parameters }: Sample, name: string): RenderResult | undefined {
    try {
      return render(this.#pack, { name, parameters, seed, now });
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      const [first] = error.findings;
      const collides = pathCollision.test(error.message);
      const message = `Rendering fails with ${shownParameters(given)}: ${error.message}`;
      this.#report(
        finding(collides ? "PathCollision" : "SampleRenderFailed", message, {
          path: first?.path,
          pointer: first?.pointer,
          ...(collides ? { suggestion: collisionSuggestion } : {}),
        }),
        collides ? `${first?.path}` : error.message,
      );
      return undefined;
    }
  }

  /** Reports conditions that fail only with other parameters; StructuralLint reports those that fail with the defaults. */
  #conditions(sample: Sample, warnings: RenderResult["warnings"]): void {
    for (const { code, message } of warnings) {
      if (code !== "ConditionUnparseable") continue;
      if (sample.kind === "defaults") this.#faultyByDefault.add(message);
      else if (!this.#faultyByDefault.has(message))
        this.#report(
          finding(code, `${message} This happens with ${shown(sample)}.`, { check: "SampleGeneration" }),
          message,
        );
    }
  }

  /** Reports paths that are produced twice. The engine keeps the last file, and its paths are case-sensitive. */
  #collisions(sample: Sample, warnings: RenderResult["warnings"]): void {
    for (const { code, message } of warnings) {
      if (code !== "OutputReplaced" && code !== "OutputTwins") continue;
      const path = [...message.matchAll(/"([^"]*)"/g)].at(-1)?.[1];
      this.#report(
        finding("PathCollision", `${message} This happens with ${shown(sample)}.`, {
          path,
          severity: "Warning",
          suggestion: collisionSuggestion,
        }),
        `${path}`,
      );
    }
  }

  #renderAgain(sample: Sample, { name, rendered }: { name: string; rendered: RenderResult }): void {
    const again = this.#render(sample, name);
    if (!again) return;
    for (const path of differingPaths(rendered.files, again.files))
      this.#report(
        finding("NonDeterministic", "Two renders of the same request produce different content for this file.", {
          path,
        }),
        path,
      );
  }

  /** A fault that occurs in several samples is reported once, for the first sample. */
  #report(fault: Finding, subject: string): void {
    const key = `${fault.code}\0${subject}`;
    if (!this.#findings.has(key)) this.#findings.set(key, fault);
  }
}

/** The paths of files that differ between two results or are in one result only. */
export function differingPaths(tree: FileTree, other: FileTree): string[] {
  const paths = new Set([...tree.keys(), ...other.keys()]);
  return [...paths].filter((path) => {
    const [first, second] = [tree, other].map((files) => files.get(path)?.bytes);
    return !first || !second || Buffer.compare(first, second) !== 0;
  });
}

function shown({ given }: Sample): string {
  return shownParameters(given);
}

function shownParameters(parameters: Record<string, unknown>): string {
  const text = JSON.stringify(parameters);
  return `the parameters ${text.length > maxShownParameters ? `${text.slice(0, maxShownParameters)}…` : text}`;
}
