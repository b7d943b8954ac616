import { DomainError } from "@factory/runtime/errors/domain-error";
import { withoutAliases } from "@factory/template-engine/host-data";
import { escapePointer, isJsonObject } from "@factory/template-engine/json-value";
import type { ParameterChecker } from "../../parameters/parameter-checker.js";
import { everDefined } from "../../parameters/schema-properties.js";
import type { WorkerClient } from "../../worker-pool/worker-pool.js";

interface ParameterQuestion {
  readonly parameterSchema: unknown;
  readonly parameters: Record<string, unknown>;
  /** Null while the content was never read: names are then left to the execution. */
  readonly templateNames: readonly string[] | null;
  /** Other names of the template's parameters, each to the parameter's own. */
  readonly aliases: Readonly<Record<string, string>>;
}

/** The parameters with the defaults of the schema; throws where the schema or the template does not take them. */
export async function checkedParameters(
  checker: ParameterChecker,
  { parameterSchema, parameters, templateNames, aliases }: ParameterQuestion,
  client: WorkerClient,
): Promise<Record<string, unknown>> {
  const given = ownNames(parameters, aliases, parameterSchema);
  const order = { schema: parameterSchema, parameters: given, templateNames: templateNames ?? undefined };
  const checked = await checker.checkParameters(order, client);
  if (checked.valid) return checked.parameters;
  throw new DomainError("PARAMETERS_INVALID", {
    detail:
      "The parameters do not satisfy the parameterSchema of the version, or name what its template does not know.",
    errors: checked.errors.map(({ pointer, code, detail, keyword }) => ({
      pointer: `/parameters${pointer}`,
      code,
      detail,
      keyword,
    })),
  });
}

/** A name that the schema defines is a parameter, even if the template has it as an alias. */
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
  const detail = `The parameter "${name}" is given more than once.`;
  throw new DomainError("PARAMETERS_INVALID", {
    detail,
    errors: [{ pointer: `/parameters/${escapePointer(alias)}`, code: "DUPLICATE", detail }],
  });
}
