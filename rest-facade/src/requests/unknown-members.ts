import { nearestNames } from "@factory/runtime/input-validation/nearest-names";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { FastifyRequest } from "fastify";
import { type GraphQLInputType, isInputObjectType, isListType, isNonNullType } from "graphql";

const maxReported = 20;
const maxShownLength = 100;

/** A hook that logs the members of a body that its input type does not have. The operation ignores them. */
export function tellUnknownMembers(inputType: () => GraphQLInputType | undefined, logger: Logger) {
  return async ({ body, trace }: FastifyRequest): Promise<void> => {
    const type = inputType();
    const sentences = type ? unknownMembers(body, type) : [];
    if (sentences.length > 0)
      logger.info({ traceId: trace.traceId, unknownMembers: sentences }, "the request has members that are ignored");
  };
}

/**
 * A sentence for each member that the input type does not have, for a developer's log: such a member is often a typing
 * error. Each is named once, also where a list repeats it.
 */
export function unknownMembers(body: unknown, type: GraphQLInputType): string[] {
  const sentences = new Set<string>();
  collect(body, type, sentences);
  return [...sentences];
}

function collect(value: unknown, type: GraphQLInputType, sentences: Set<string>): void {
  if (sentences.size >= maxReported) return;
  if (isNonNullType(type)) return collect(value, type.ofType, sentences);
  if (isListType(type)) {
    if (Array.isArray(value)) for (const item of value) collect(item, type.ofType, sentences);
    return;
  }
  if (!isInputObjectType(type) || typeof value !== "object" || value === null || Array.isArray(value)) return;
  const fields = new Map(Object.entries(type.getFields()));
  for (const [name, member] of Object.entries(value)) {
    const field = fields.get(name);
    if (field) collect(member, field.type, sentences);
    else if (sentences.size < maxReported) sentences.add(sentenceFor(name, type.name, fields.keys()));
  }
}

function sentenceFor(name: string, typeName: string, knownNames: Iterable<string>): string {
  const [nearest] = nearestNames(name, knownNames);
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  return `${JSON.stringify(name.slice(0, maxShownLength))} is not a member of ${typeName}.${hint}`;
}
