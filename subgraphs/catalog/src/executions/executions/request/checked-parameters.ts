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
  /** Parameter names by their aliases in the template. */
  readonly aliases: Readonly<Record<string, string>>;
}

/**
 * The parameters with a schema's defaults, if the schema is not derived. Throws PARAMETERS_INVALID when the schema or
 * the template refuses them.
 */
export async function checkedParameters(
  checker: ParameterChecker,
  { parameterSchema, parameterSchemaOrigin, parameters, templateNames, aliases }: ParameterRequest,
  client: WorkerClient,
): Promise<Record<string, unknown>> {
  const ownParameters = ownNames(parameters, aliases, parameterSchema);
  const names = templateNames ?? undefined;
  if (parameterSchemaOrigin === "Derived") {
    const order = { schemaJson: JSON.stringify(parameterSchema), parametersJson: JSON.stringify(ownParameters) };
    const errors = await checker.derivedErrors({ ...order, templateNames: names }, client);
    if (errors.length > 0) throw invalid(errors);
    // The template has a derived schema's defaults itself, and tells them from the request's values.
    return ownParameters;
  }
  // A schema's rules calculate. The sent parameters stay as they were.
  const order = {
    schema: withPlainNumbers(parameterSchema),
    parameters: withPlainNumbers(ownParameters),
    templateNames: names,
  };
  const checkResult = await checker.checkParameters(order, client);
  if (!checkResult.valid) throw invalid(checkResult.errors);
  if (order.schema === parameterSchema && order.parameters === ownParameters) return checkResult.parameters;
  return withDefaults(isJsonObject(parameterSchema) ? parameterSchema : {}, ownParameters as JsonObject);
}

function invalid(errors: readonly ParameterError[]): DomainError {
  const explanation = errors.find(({ ofAuthor }) => ofAuthor)?.detail;
  return new DomainError("PARAMETERS_INVALID", {
    detail: `The parameters do not satisfy the parameterSchema of the version, or the template does not have them. ${explanation === undefined ? "" : `${asSentence(explanation)} `}See errors.`,
    errors: errors.map(({ pointer, code, detail, keyword }) => ({
      pointer: `/parameters${pointer}`,
      code,
      detail,
      keyword,
    })),
  });
}

/**
 * Replaces aliases by parameter names. A name that the schema defines is a parameter, even when it is also an alias.
 */
function ownNames(
  parameters: Record<string, unknown>,
  aliases: Readonly<Record<string, string>>,
  schema: unknown,
): Record<string, unknown> {
  const definedNames = isJsonObject(schema) ? everDefined(schema) : new Map();
  const others = new Map(Object.entries(aliases).filter(([alias]) => !definedNames.has(alias)));
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

/** An author's text as a sentence. */
const asSentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);
