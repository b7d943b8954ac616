import { catalogPlanned, catalogRoutes } from "./catalog.routes.js";
import { integrationPlanned, integrationRoutes } from "./integration.routes.js";
import type { Area, PlannedRoute, Route } from "./route.js";
import { spinePlanned, spineRoutes } from "./spine.routes.js";

/** The rows of each specification: those that are served, and those that answer 501 in this release. */
export const routeTables: Record<Area, { routes: readonly Route[]; planned: readonly PlannedRoute[] }> = {
  catalog: { routes: catalogRoutes, planned: catalogPlanned },
  integration: { routes: integrationRoutes, planned: integrationPlanned },
  spine: { routes: spineRoutes, planned: spinePlanned },
};

/** The areas in the order in which their routes are registered and documented. */
export const areas = Object.keys(routeTables) as Area[];
