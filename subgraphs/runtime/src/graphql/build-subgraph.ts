import { buildSubgraphSchema, printSubgraphSchema } from "@apollo/subgraph";
import { allVocabularies } from "@factory/schema/vocabularies/all-vocabularies";
import {
  defaultFieldResolver,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNullableType,
  isObjectType,
  lexicographicSortSchema,
  parse,
  print,
} from "graphql";
import { buildSchemaSync, createResolversMap, type NonEmptyArray } from "type-graphql";
import { constraintDirective } from "../input-validation/constraint.js";
import type { Logger } from "../telemetry/logger.js";
import { type AuthRule, authDirective } from "./auth.js";
import type { EntityReference } from "./entity-reference.js";
import { enumType } from "./enum-type.js";
import { addFormerNames, type FormerNames } from "./former-names.js";
import { Guard } from "./guard.js";
import { addObjectLinks, type ObjectLinks } from "./object-links.js";
import { DateTime } from "./scalars.js";

interface SubgraphDefinition {
  readonly logger: Logger;
  /** Instances; their classes carry the type-graphql decorators. */
  readonly resolvers: readonly object[];
  /** Types that no root field mentions. */
  readonly types?: readonly (new () => object)[];
  readonly references?: Readonly<Record<string, EntityReference>>;
  readonly links?: ObjectLinks;
  readonly formerNames?: FormerNames;
  /** The SDL that a build has printed from the same classes. If absent, it is printed now. */
  readonly printedSdl?: string | undefined;
}

/** A subgraph's executable schema and its SDL. */
export interface Subgraph {
  readonly schema: GraphQLSchema;
  /** The SDL that is committed as `schema/<name>.graphql` and composed into the supergraph. */
  readonly sdl: string;
}

const links = `
  extend schema
    @link(url: "https://specs.apollo.dev/link/v1.0")
    @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@shareable", "@external", "@composeDirective", "@tag", "@inaccessible"])
    @link(url: "https://factory.platform/contract/v1.0", import: ["@auth", "@constraint"])
    @composeDirective(name: "@auth")
    @composeDirective(name: "@constraint")
  ${authDirective}
  ${constraintDirective}
`;

/** Decorated classes in, federated schema out. A root field or reference without a declared rule stops the build. */
export function buildSubgraph(definition: SubgraphDefinition): Subgraph {
  const guard = new Guard(definition.logger);
  // decorators name an enum when the schema is built, which is too late to register it
  for (const vocabulary of allVocabularies) enumType(vocabulary);
  const instances = new Map<unknown, object>(definition.resolvers.map((resolver) => [resolver.constructor, resolver]));
  const decoratedSchema = buildSchemaSync({
    resolvers: definition.resolvers.map((resolver) => resolver.constructor) as unknown as NonEmptyArray<
      new () => object
    >,
    orphanedTypes: [...(definition.types ?? [])],
    container: { get: (resolver) => instances.get(resolver) },
    scalarsMap: [{ type: Date, scalar: DateTime }],
    pubSub: noPubSub,
    validate: false,
    skipCheck: true,
  });
  letRootFieldsBeNull(decoratedSchema);
  addFormerNames(decoratedSchema, definition.formerNames ?? {});
  addObjectLinks(decoratedSchema, definition.links ?? {}, definition.references ?? {});
  const rules = rootRules(decoratedSchema);
  const sdl = definition.printedSdl ?? printedSdl(decoratedSchema);
  const resolvers = createResolversMap(decoratedSchema) as Record<string, Record<string, unknown>>;
  for (const [type, reference] of Object.entries(definition.references ?? {}))
    resolvers[type] = { ...resolvers[type], __resolveReference: guard.reference(type, reference) };
  const schema = buildSubgraphSchema([{ typeDefs: parse(sdl, { noLocation: true }), resolvers: resolvers as never }]);
  guardNested(schema, decoratedSchema, guard);
  resolveExplicitly(schema);
  for (const root of rootTypes(schema)) {
    for (const field of Object.values(root.getFields())) {
      const rule = rules.get(`${root.name}.${field.name}`);
      if (!rule) continue;
      if (field.subscribe) field.subscribe = guard.field(field, rule, field.subscribe);
      else if (field.resolve) field.resolve = guard.field(field, rule, field.resolve);
    }
  }
  return { schema, sdl };
}

/**
 * Makes every query and mutation field nullable, because each can be refused. A refused field that must not be null
 * would remove all other fields from the answer (GraphQL specification, section 6.4.4). A subscription field is
 * refused before its first value, so its values are never null.
 */
function letRootFieldsBeNull(schema: GraphQLSchema): void {
  for (const root of [schema.getQueryType(), schema.getMutationType()])
    for (const field of Object.values(root?.getFields() ?? {})) field.type = getNullableType(field.type);
}

const printedSdl = (decoratedSchema: GraphQLSchema) =>
  print(parse(`${links}\n${printSubgraphSchema(lexicographicSortSchema(decoratedSchema))}`));

/** Field resolvers below the root; plain properties have no resolver yet. */
function guardNested(schema: GraphQLSchema, decoratedSchema: GraphQLSchema, guard: Guard): void {
  const roots = new Set(rootTypes(schema));
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || roots.has(type) || type.name.startsWith("_")) continue;
    const declaredType = decoratedSchema.getType(type.name);
    for (const field of Object.values(type.getFields())) {
      if (!field.resolve || !isObjectType(declaredType)) continue;
      const rule = declaredType.getFields()[field.name]?.extensions["auth"] as AuthRule | undefined;
      field.resolve = guard.nested(field, rule, field.resolve);
    }
  }
}

/** The gateway compiles only queries whose fields all name a resolver: what the default one may find it cannot know. */
function resolveExplicitly(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith("__")) continue;
    for (const field of Object.values(type.getFields())) field.resolve ??= defaultFieldResolver;
  }
}

/** type-graphql asks for one as soon as there is a subscription field, although `subscribe` replaces it. */
const noPubSub = {
  publish: () => refusePubSub(),
  subscribe: () => refusePubSub(),
};

function refusePubSub(): never {
  throw new Error(
    "A subscription field must have its own `subscribe`: with a PubSub, a slow subscriber would end the process",
  );
}

function rootTypes(schema: GraphQLSchema): GraphQLObjectType[] {
  return [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter((type) => type != null);
}

function rootRules(schema: GraphQLSchema): Map<string, AuthRule> {
  const rules = new Map<string, AuthRule>();
  for (const root of rootTypes(schema)) {
    for (const field of Object.values(root.getFields())) {
      const rule = field.extensions["auth"] as AuthRule | undefined;
      if (!rule) throw new Error(`${root.name}.${field.name} declares no @Auth rule`);
      rules.set(`${root.name}.${field.name}`, rule);
    }
  }
  return rules;
}
