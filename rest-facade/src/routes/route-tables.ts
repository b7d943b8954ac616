import { catalogRoutes } from "./catalog.routes.js";
import { integrationRoutes } from "./integration.routes.js";
import type { Area, Route } from "./route.js";
import { spineRoutes } from "./spine.routes.js";

/** Each specification's rows. */
export const routeTables: Record<Area, readonly Route[]> = {
  catalog: catalogRoutes,
  integration: integrationRoutes,
  spine: spineRoutes,
};

/** The areas in the order in which their routes are registered and documented. */
export const areas = Object.keys(routeTables) as Area[];
