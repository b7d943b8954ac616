// biome-ignore-all format: one row per endpoint, aligned
import type { Route } from "./route.js";

/** Template and Library Catalog API: endpoints 1 to 10 in its order, and the execution poll (rule 1). */
export const catalogRoutes = [
  { at: "POST /v1/templates",                                     run: "registerTemplate",              reply: 201, scopes: ["templates.write"],                      idempotent: true, location: "/v1/templates/{templateId}" },
  { at: "GET /v1/templates/{templateId}",                         run: "template",                      reply: 200, scopes: ["templates.read"] },
  { at: "POST /v1/templates/{templateId}/versions",               run: "createTemplateVersion",         reply: 201, scopes: ["templates.write"],                      idempotent: true, location: "/v1/templates/{templateId}" },
  { at: "POST /v1/templates/{templateId}/execute",                run: "requestExecution",              reply: 202, scopes: ["templates.execute"],                    idempotent: true, location: "/v1/templates/{templateId}/executions/{executionId}" },
  { at: "GET /v1/templates/{templateId}/executions/{executionId}", run: "execution",                    reply: 200, scopes: ["templates.read", "templates.execute"],  retryWhile: ["Requested", "Running"] },
  { at: "POST /v1/templates/{templateId}/validate",               run: "validateTemplateVersion",       reply: 200, scopes: ["templates.write", "templates.execute"], idempotent: true },
  { at: "POST /v1/templates/{templateId}/compatibility/evaluate", run: "evaluateTemplateCompatibility", reply: 200, scopes: ["templates.read"],                       idempotent: true },
  { at: "POST /v1/libraries",                                     run: "registerLibrary",               reply: 201, scopes: ["libraries.write"],                      idempotent: true, location: "/v1/libraries/{libraryId}" },
  { at: "GET /v1/libraries/{libraryId}",                          run: "library",                       reply: 200, scopes: ["libraries.read"] },
  { at: "POST /v1/libraries/search",                              run: "searchLibraries",               reply: 200, scopes: ["libraries.read"] },
  { at: "POST /v1/libraries/compatibility/evaluate",              run: "evaluateLibraryCompatibility",  reply: 200, scopes: ["libraries.read"],                       idempotent: true },
] as const satisfies readonly Route[];
