import type { FileTree } from "@factory/template-engine/file-tree";
import { isJsonObject } from "@factory/template-engine/json-value";
import { render } from "@factory/template-engine/render";
import type { TemplateChoice } from "@factory/template-engine/template-choice";
import { TemplateError } from "@factory/template-engine/template-error";
import { loadTemplatePack, type TemplatePack } from "@factory/template-engine/template-pack";
import { checkParameters, reservedName } from "../../../templates/parameters/parameter-schema.js";
import { sampleRequests } from "../../../templates/template-checks/sample-generation/sample-requests.js";
import { workerTask } from "../../../workers/worker-pool/worker-task.js";
import { type ProjectReferences, projectReferences } from "./project-references.js";

/** The template to scan, besides its files. */
export interface TemplateSubject {
  readonly parameterSchema: unknown;
  readonly targetFramework: string;
  readonly template?: TemplateChoice;
}

/** The worker task that renders a template with its defaults and reads the result's packages. */
export const referencesTask = workerTask<TemplateSubject, ProjectReferences>("readReferences", "long");

const standardName = "SampleApp";
const seed = "dependency scan";
const now = new Date(Date.UTC(2024, 0, 2, 3, 4, 5));

/** Runs foreign regular expressions: call it under a time limit. Throws TemplateError. */
export async function scanTemplate(files: FileTree, subject: TemplateSubject): Promise<ProjectReferences> {
  const pack = loadTemplatePack(files, subject.template);
  const parameters = await defaultParameters(pack, subject.parameterSchema);
  const { [reservedName]: nameParameter } = parameters;
  const name = [nameParameter, pack.config.defaultName, standardName].find(
    (candidate) => typeof candidate === "string" && candidate.trim() !== "",
  );
  const { targetFramework } = subject;
  const renderResult = render(pack, { name: String(name), parameters, seed, now, targetFramework });
  return projectReferences(renderResult.files, targetFramework);
}

/** The parameters for a request without any; where the schema requires some, the first ones that it accepts. */
async function defaultParameters(pack: TemplatePack, schema: unknown): Promise<Record<string, unknown>> {
  const parameterCheck = await checkParameters(schema, {});
  if (parameterCheck.valid) return parameterCheck.parameters;
  const [sample] = await sampleRequests(isJsonObject(schema) ? schema : {}, pack.config.symbols);
  if (sample !== undefined) return sample.parameters;
  throw new TemplateError(
    "RENDER_FAILED",
    "The template has no default render, because no parameters were found that the parameterSchema accepts. Add a default or examples to the required properties.",
  );
}
