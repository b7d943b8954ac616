import type { Logger } from "@factory/runtime/telemetry/logger";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { OperationTypeNode } from "graphql";
import { compressAnswers } from "../http/compression.js";
import { acceptVendorMediaType } from "../http/listener.js";
import { isList } from "../operations/load-operation.js";
import { chargeBody } from "../rate-limits/body-points.js";
import { fastifyPath } from "../routes/route.js";
import { areas } from "../routes/route-tables.js";
import type { CompiledRoute } from "./compile-route.js";
import { type Admission, admit, handleRoute } from "./handle-route.js";
import { tellUnknownMembers } from "./unknown-members.js";

/** A row in the tables, with what is compiled for the present graph. */
export interface ServedRoute extends Pick<CompiledRoute, "row" | "area" | "method" | "path" | "rate"> {
  /** Whether it answers with a list. Lists are compressed: no list has a secret, and other answers are small. */
  readonly isList: boolean;
  handle: ReturnType<typeof handleRoute>;
  input: CompiledRoute["input"];
}

interface Serving extends Admission {
  /** Takes the members of bodies that are ignored, for developers. */
  readonly developerLog?: Logger | undefined;
}

/** The rows with the handlers for one graph. `use` puts them in the place of the former graph's. */
export function routesFor(compiledRoutes: readonly CompiledRoute[], routes: ServedRoute[]): { use(): void } {
  const handlers = compiledRoutes.map(handleRoute);
  return {
    use: () => {
      for (const [index, { row, area, method, path, rate, operation, input }] of compiledRoutes.entries()) {
        const present = { handle: handlers[index] as ServedRoute["handle"], input };
        const servedRoute = routes[index];
        const isQuery = operation.definition.operation === OperationTypeNode.QUERY;
        if (servedRoute) Object.assign(servedRoute, present);
        else routes.push({ row, area, method, path, rate, isList: isQuery && isList(operation), ...present });
      }
    },
  };
}

const isPublic = ({ row }: ServedRoute) => row.surface !== "internal";

/** Serves the public rows. */
export async function serveRoutes(app: FastifyInstance, routes: readonly ServedRoute[], serving: Serving) {
  for (const area of areas) {
    await app.register(async (scope) => {
      if (area === "integration") acceptVendorMediaType(scope);
      const ofArea = routes.filter((route) => isPublic(route) && route.area === area);
      for (const route of ofArea.filter((each) => !each.isList)) serveRoute(scope, route, route.path, serving);
      await scope.register(async (lists) => {
        await compressAnswers(lists);
        for (const route of ofArea.filter((each) => each.isList)) serveRoute(lists, route, route.path, serving);
      });
    });
  }
}

/** Serves internal paths with and without `/v1`, as the specification's surface table lists them. */
export function serveInternalRoutes(app: FastifyInstance, routes: readonly ServedRoute[], admission: Admission): void {
  for (const route of routes.filter((candidate) => !isPublic(candidate))) {
    for (const path of new Set([route.path, route.path.replace(/^\/v1/, "")])) serveRoute(app, route, path, admission);
  }
}

function serveRoute(app: FastifyInstance, route: ServedRoute, path: string, serving: Serving): void {
  const { developerLog, ...admission } = serving;
  const { method, row, rate } = route;
  const handler = (request: FastifyRequest, reply: FastifyReply) => route.handle(request, reply, admission.limit);
  const config = { rootField: row.run };
  const hooks = {
    onRequest: admit(row, rate, admission),
    // a hook costs each answer some microseconds, and a GET's body is not read
    ...(method === "GET" ? {} : { onSend: chargeBody(rate, admission.limit) }),
    ...(developerLog && { preHandler: tellUnknownMembers(() => route.input, developerLog) }),
  };
  app.route({ method, url: fastifyPath(path), config, ...hooks, handler });
}
