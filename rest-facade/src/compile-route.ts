import type { GraphQLSchema } from "graphql";
import { type Area, loadOperation, type Operation, rootFieldOf } from "./load-operation.js";
import type { FacadePorts, PreparedOperation } from "./ports.js";
import { readVariables } from "./read-variables.js";
import { catalogPlanned, catalogRoutes } from "./routes/catalog.routes.js";
import { integrationPlanned, integrationRoutes } from "./routes/integration.routes.js";
import { endpointOf, type PlannedRoute, type Route } from "./routes/route.js";
import { spinePlanned, spineRoutes } from "./routes/spine.routes.js";

/** One table per specification. */
export const routeTables: Record<Area, { routes: readonly Route[]; planned: readonly PlannedRoute[] }> = {
  catalog: { routes: catalogRoutes, planned: catalogPlanned },
  integration: { routes: integrationRoutes, planned: integrationPlanned },
  spine: { routes: spineRoutes, planned: spinePlanned },
};

export const areas = Object.keys(routeTables) as Area[];

type FillLocation = (body: Record<string, unknown>, parameters: Record<string, string>) => string | undefined;

/** A row with everything that can be known before the first request. */
export interface CompiledRoute extends ReturnType<typeof readVariables> {
  readonly row: Route;
  readonly area: Area;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly prepared: PreparedOperation;
  readonly location: FillLocation | undefined;
}

export function compileRoutes(graph: GraphQLSchema, ports: Pick<FacadePorts, "prepare">): CompiledRoute[] {
  return areas.flatMap((area) => routeTables[area].routes.map((row) => compileRoute(area, row, { graph, ...ports })));
}

function compileRoute(
  area: Area,
  row: Route,
  { graph, prepare }: { graph: GraphQLSchema } & Pick<FacadePorts, "prepare">,
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
    location: row.location === undefined ? undefined : fillLocation(row.location),
    ...readVariables(operation, path, graph),
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
