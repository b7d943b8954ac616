import type { SubgraphName } from "@factory/schema/subgraph-names";
import { buildASTSchema, type GraphQLObjectType, getNamedType, isObjectType, parse } from "graphql";
import { moduleSdl } from "./module-schema.js";
import type { SliceModule } from "./slice-module.js";

/** Ids of no object: the caller's own texts, and ids of traces, keys and vendors. */
const idsOfNothing = new Set([
  ...["agentTaskId", "projectId", "traceId", "correlationId", "causationId"],
  ...["keyIds", "keyId", "actionId", "advisoryId", "providerDeliveryId"],
  // a job's and its subject's, which may be an object of any type
  ...["jobId", "subjectId", "sessionId"],
]);

/** The fields with an id for which no module declares the object, as `Run.connectionId`. */
export function undeclaredIds(subgraph: SubgraphName, modules: readonly SliceModule<never>[]): string[] {
  const schema = buildASTSchema(parse(moduleSdl(subgraph, modules)), { assumeValid: true, assumeValidSDL: true });
  const declaredFields = new Set(modules.flatMap(({ links = {} }) => Object.keys(links)));
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const types = Object.values(schema.getTypeMap()).filter((type): type is GraphQLObjectType => isObjectType(type));
  return types
    .filter((type) => !roots.includes(type))
    .flatMap((type) => {
      const fields = type.getFields();
      const ownIds = keysOf(type);
      const hasObject = (name: string) => isObjectType(getNamedType(fields[name.replace(/Id(s?)$/, "$1")]?.type));
      return Object.keys(fields)
        .filter((name) => /[a-z]Ids?$/.test(name) && !idsOfNothing.has(name) && !ownIds.includes(name))
        .filter((name) => !hasObject(name))
        .map((name) => `${type.name}.${name}`);
    })
    .filter((field) => !declaredFields.has(field));
}

const keysOf = ({ astNode }: GraphQLObjectType): string[] =>
  (astNode?.directives ?? []).flatMap(({ name, arguments: values = [] }) =>
    name.value === "key" ? values.flatMap(({ value }) => (value.kind === "StringValue" ? [value.value] : [])) : [],
  );
