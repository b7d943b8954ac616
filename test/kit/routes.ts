import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { catalogRoutes } from "@factory/rest-facade/routes/catalog.routes";
import { integrationRoutes } from "@factory/rest-facade/routes/integration.routes";
import { endpointOf, type Route } from "@factory/rest-facade/routes/route";
import { spineRoutes } from "@factory/rest-facade/routes/spine.routes";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { inputSchema, type JsonSchema } from "@factory/runtime/input-validation/input-schema";
import { idMembers } from "@factory/schema/id-members";
import { buildASTSchema, type GraphQLSchema, isInputObjectType, isNonNullType, parse } from "graphql";
import { platform } from "./platform.js";

export const servedRoutes: readonly Route[] = [...catalogRoutes, ...integrationRoutes, ...spineRoutes];

/** The committed supergraph with its directives. */
export function committedGraph(): GraphQLSchema {
  const file = fileURLToPath(new URL("../../schema/supergraph.graphql", import.meta.url));
  return buildASTSchema(parse(readFileSync(file, "utf8")), { assumeValid: true, assumeValidSDL: true });
}

/** A path parameter's kind. The specification calls some parameters only `id`. */
export function parameterKind(at: string, name: string): string {
  if (name !== "id") return name;
  return endpointOf(at).path.startsWith("/v1/reports/") ? "reportDefinitionId" : "planSubscriptionId";
}

/** The path with well-formed ids that do not exist. */
export function anyPath(at: string): string {
  return endpointOf(at).path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const prefix = idMembers[parameterKind(at, name)];
    return prefix ? newId(prefix) : "anything";
  });
}

export const methodOf = (at: string) => endpointOf(at).method;

export const baseOf = (route: Route) => (route.surface === "internal" ? platform().internalUrl : platform().publicUrl);

/** The JSON Schema for a row's body, or undefined if the row has no body. */
export function bodySchema({ run }: Route, graph: GraphQLSchema): JsonSchema | undefined {
  const field = graph.getQueryType()?.getFields()[run] ?? graph.getMutationType()?.getFields()[run];
  const input = field?.args.find(({ name }) => name === "input")?.type;
  const type = isNonNullType(input) ? input.ofType : input;
  return isInputObjectType(type) ? inputSchema(type) : undefined;
}
