import { DomainError } from "@factory/runtime/errors/domain-error";
import { withPlainNumbers } from "@factory/runtime/json/kept-numbers";
import { withoutAliases } from "@factory/template-engine/host-data";
import { escapePointer, isJsonObject, type JsonObject } from "@factory/template-engine/json-value";
import { inputProblem } from "../../../ground/input-problems/input-problem.js";
import type { ParameterChecker } from "../../../templates/parameters/parameter-checker.js";
import type { ParameterError } from "../../../templates/parameters/parameter-error.js";
import { withDefaults } from "../../../templates/parameters/parameter-schema.js";
import { everDefined } from "../../../templates/parameters/schema-properties.js";
import type { TemplateVersionType } from "../../../templates/templates/template-version.type.js";
import type { WorkerClient } from "../../../workers/worker-pool/worker-pool.js";

interface ParameterRequest {
  readonly parameterSchema: unknown;
  readonly parameterSchemaOrigin: TemplateVersionType["parameterSchemaOrigin"];
  readonly parameters: Record<string, unknown>;
  /** Null until the content was read. The execution then checks the names. */
  readonly templateNames: readonly string[] | null;
  /** The names of parameters by their aliases in the template. */
  readonly aliases: Readonly<Record<string, string>>;
}

/**
 * The parameters with the defaults of a schema that is not derived. Throws PARAMETERS_INVALID when the schema or the
 * template refuses them.
 */
export async function checkedParameters(
  checker: ParameterChecker,
  { parameterSchema, parameterSchemaOrigin, parameters, templateNames, aliases }: ParameterRequest,
  client: WorkerClient,
): Promise<Record<string, unknown>> {
  const given = ownNames(parameters, aliases, parameterSchema);
  const names = templateNames ?? undefined;
  if (parameterSchemaOrigin === "Derived") {
    const order = { schemaJson: JSON.stringify(parameterSchema), parametersJson: JSON.stringify(given) };
    const errors = await checker.derivedErrors({ ...order, templateNames: names }, client);
    if (errors.length > 0) throw invalid(errors);
    // The template has the defaults of a derived schema itself, and tells them from values of the request.
    return given;
  }
  // The rules of a schema calculate. The sent parameters stay as they were.
  const order = {
    schema: withPlainNumbers(parameterSchema),
    parameters: withPlainNumbers(given),
    templateNames: names,
  };
  const checked = await checker.checkParameters(order, client);
  if (!checked.valid) throw invalid(checked.errors);
  if (order.schema === parameterSchema && order.parameters === given) return checked.parameters;
  return withDefaults(isJsonObject(parameterSchema) ? parameterSchema : {}, given as JsonObject);
}

function invalid(errors: readonly ParameterError[]): DomainError {
  const explained = errors.find(({ ofAuthor }) => ofAuthor)?.detail;
  return new DomainError("PARAMETERS_INVALID", {
    detail: `The parameters do not satisfy the parameterSchema of the version, or the template does not have them. ${explained === undefined ? "" : `${ended(explained)} `}See errors.`,
    errors: errors.map(({ pointer, code, detail, keyword }) => ({
      pointer: `/parameters${pointer}`,
      code,
      detail,
      keyword,
    })),
  });
}

/**
 * Replaces aliases by the names of parameters. A name that the schema defines is a parameter, even when it is also an
 * alias.
 */
function ownNames(
  parameters: Record<string, unknown>,
  aliases: Readonly<Record<string, string>>,
  schema: unknown,
): Record<string, unknown> {
  const defined = isJsonObject(schema) ? everDefined(schema) : new Map();
  const others = new Map(Object.entries(aliases).filter(([alias]) => !defined.has(alias)));
  const canonical = withoutAliases(parameters, others);
  if (canonical.repeated === null) return canonical.parameters;
  const { name, alias } = canonical.repeated;
  const detail = `The parameter "${name}" is given more than once, by its name or an alias. Give it once.`;
  throw inputProblem("PARAMETERS_INVALID", {
    pointer: `/parameters/${escapePointer(alias)}`,
    code: "DUPLICATE",
    detail,
  });
}

/** The text of an author as a sentence. */
const ended = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);
