import type { PlainRoute } from "./route.js";

/** The endpoint for a report run's content. It answers bytes, so it runs no GraphQL operation. */
export const reportContentRoute = {
  at: "GET /v1/reports/runs/{reportRunId}/content",
  scopes: ["report.read", "report.generate"],
  version: "header",
} as const satisfies PlainRoute;
