import { DomainError } from "@factory/runtime/errors/domain-error";
import type { RenderingClient, RenderingPool } from "../rendering/rendering-pool.js";

interface ParameterQuestion {
  readonly parameterSchema: unknown;
  readonly parameters: Record<string, unknown>;
  /** Null while the content was never read: names are then left to the execution. */
  readonly templateNames: readonly string[] | null;
}

/** The parameters with the defaults of the schema; throws where the schema or the template does not take them. */
export async function checkedParameters(
  rendering: RenderingPool,
  { parameterSchema, parameters, templateNames }: ParameterQuestion,
  client: RenderingClient,
): Promise<Record<string, unknown>> {
  const order = { schema: parameterSchema, parameters, templateNames: templateNames ?? undefined };
  const checked = await rendering.checkParameters(order, client);
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
