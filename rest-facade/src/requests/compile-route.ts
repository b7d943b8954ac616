import { type RateClass, rateClassOf } from "@factory/schema/rate-classes";
import type { GraphQLSchema } from "graphql";
import { loadOperation, type Operation, rootFieldOf } from "../operations/load-operation.js";
import { type Area, endpointOf, type Route } from "../routes/route.js";
import { areas, routeTables } from "../routes/route-tables.js";
import type { PreparedOperation, PrepareOperation } from "./prepared-operation.js";
import { readVariables } from "./read-variables.js";

type FillLocation = (body: Record<string, unknown>, parameters: Record<string, string>) => string | undefined;

/** A row in the route tables with everything that can be prepared before the first request. */
export interface CompiledRoute extends ReturnType<typeof readVariables> {
  readonly row: Route;
  readonly area: Area;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly prepared: PreparedOperation;
  readonly rate: RateClass;
  readonly location: FillLocation | undefined;
}

/** Every row in the tables, prepared against the graph. Throws when a document does not fit it. */
export function compileRoutes(graph: GraphQLSchema, prepare: PrepareOperation): CompiledRoute[] {
  return areas.flatMap((area) => routeTables[area].map((row) => compileRoute(area, row, { graph, prepare })));
}

function compileRoute(
  area: Area,
  row: Route,
  { graph, prepare }: { graph: GraphQLSchema; prepare: PrepareOperation },
): CompiledRoute {
  const { method, path } = endpointOf(row.at);
  const operation = loadOperation(area, row.run);
  rootFieldOf(graph, operation);
  return {
    row,
    area,
    method,
    path,
    operation,
    prepared: prepare(operation.text, operation.name),
    rate: rateClassOf(operation.definition.operation, row.run),
    location: row.location === undefined ? undefined : fillLocation(row.location),
    ...readVariables(operation, { method, path }, graph),
  };
}

function fillLocation(template: string): FillLocation {
  return (body, parameters) => {
    let missing = false;
    const place = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = body[name] ?? parameters[name];
      if (typeof value === "string") return encodeURIComponent(value);
      missing = true;
      return "";
    });
    return missing ? undefined : place;
  };
}
