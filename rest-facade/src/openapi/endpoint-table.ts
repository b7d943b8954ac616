import { rateClassOf } from "@factory/schema/rate-classes";
import type { Scope } from "@factory/schema/scopes";
import { buildASTSchema, type GraphQLSchema, parse, valueFromASTUntyped } from "graphql";
import { loadOperation, rootFieldOf } from "../operations/load-operation.js";
import { deliveryOperation, deliveryRoutes } from "../routes/delivery.routes.js";
import { ofrepRoutes } from "../routes/ofrep.routes.js";
import { reportContentRoute } from "../routes/report-content.routes.js";
import { type Route, successesOf } from "../routes/route.js";
import { areas, routeTables } from "../routes/route-tables.js";
import { plainHttpPaths } from "./plain-http-paths.js";

/** One row in `schema/endpoints.json`: an endpoint with the token, the scopes and the rate class that it needs. */
interface Endpoint {
  readonly endpoint: string;
  readonly specification: string;
  readonly surface: "public" | "internal";
  /** `client`: client authentication (RFC 6749 section 2.3). `signature`: the vendor's signature. */
  readonly auth: "bearer" | "bearer or basic" | "client" | "signature" | "anonymous";
  /** Any one suffices. They come from the root field's `@auth`. */
  readonly scopes: readonly Scope[];
  readonly platformAdmin: boolean;
  readonly operation: string | null;
  readonly success: readonly number[];
  readonly rate: string | null;
  readonly idempotent: boolean;
}

/** Every endpoint, as `npm run schema` writes it: scopes from the graph, the rest from the route tables. */
export function endpointTable(supergraphSdl: string): Endpoint[] {
  const graph = buildASTSchema(parse(supergraphSdl), { assumeValid: true, assumeValidSDL: true });
  return [
    ...areas.flatMap((specification) =>
      routeTables[specification].map((row) => ({
        specification,
        ...served(row, ruleOf(graph, specification, row)),
      })),
    ),
    ...Object.entries(plainHttpPaths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...plain,
        endpoint: `${method.toUpperCase()} ${path}`,
        ...bearerRows.get(`${method.toUpperCase()} ${path}`),
        auth: authOf(operation),
        ...deliveryRows.get(`${method.toUpperCase()} ${path}`),
        success: Object.keys(operation["responses"] as object)
          .map(Number)
          .filter((status) => status < 400),
      })),
    ),
    ...plainEndpoints.map((row) => ({ ...plain, ...row })),
  ].map(inOrder);
}

function authOf(operation: Record<string, unknown>): Endpoint["auth"] {
  const security = operation["security"] as readonly unknown[];
  if (security.length > 0) return "bearer";
  return "requestBody" in operation ? "client" : plain.auth;
}

type Rule = Pick<Endpoint, "scopes" | "platformAdmin" | "rate">;

function ruleOf(graph: GraphQLSchema, area: (typeof areas)[number], { run }: Route): Rule {
  const operation = loadOperation(area, run);
  const { astNode } = rootFieldOf(graph, operation);
  const directive = astNode?.directives?.find(({ name }) => name.value === "auth");
  const argumentPairs = directive?.arguments?.map(
    ({ name, value }) => [name.value, valueFromASTUntyped(value)] as const,
  );
  const { scopes = [], platformAdmin = false } = Object.fromEntries(argumentPairs ?? []) as Partial<Omit<Rule, "rate">>;
  return { scopes, platformAdmin, rate: rateClassOf(operation.definition.operation, run) };
}

function served(row: Route, rule: Rule): Omit<Endpoint, "specification"> {
  return {
    ...rule,
    endpoint: row.at,
    surface: row.surface ?? "public",
    auth: row.anonymous ? "anonymous" : "bearer",
    operation: row.run,
    success: successesOf(row),
    rate: row.surface === "internal" ? null : rule.rate,
    idempotent: row.idempotent ?? false,
  };
}

/** The scopes and the rate class for the OFREP endpoints, and for report contents. */
const bearerRows = new Map<string, Pick<Endpoint, "scopes" | "rate">>([
  ...Object.values(ofrepRoutes).map(({ at, scopes, rate }) => [at, { scopes, rate }] as const),
  [reportContentRoute.at, { scopes: reportContentRoute.scopes, rate: "read" }],
]);

/** The vendors' endpoints, which run an operation with the body's bytes. */
const deliveryRows: ReadonlyMap<string, Partial<Endpoint>> = new Map<string, Partial<Endpoint>>([
  ...Object.values(deliveryRoutes).map(
    ({ at }) =>
      [at, { specification: deliveryOperation.area, auth: "signature", operation: deliveryOperation.run }] as const,
  ),
  // A URL test runs no operation on the graph, and is answered for a known resource's vendor only.
  [deliveryRoutes.vendor.at.replace("POST", "GET"), { specification: deliveryOperation.area, auth: "signature" }],
]);

const plain = {
  specification: "spine",
  surface: "public",
  auth: "anonymous",
  scopes: [],
  platformAdmin: false,
  operation: null,
  success: [200],
  rate: null,
  idempotent: false,
} satisfies Omit<Endpoint, "endpoint">;

/** The endpoints that run no GraphQL operation and are not in the OpenAPI document. */
const plainEndpoints: readonly (Pick<Endpoint, "endpoint"> & Partial<Endpoint>)[] = [
  { endpoint: "GET /.well-known/oauth-authorization-server" },
  {
    endpoint: "GET /git/{tenantSlug}/{owner}/{name}",
    specification: "catalog",
    auth: "bearer or basic",
    scopes: ["templates.read", "templates.execute"],
  },
  // each root field has its own scopes, and the websocket is an upgrade on the same path
  { endpoint: "GET /graphql", specification: "platform", auth: "bearer" },
  { endpoint: "POST /graphql", specification: "platform", auth: "bearer" },
  { endpoint: "GET /openapi.json", specification: "platform" },
  { endpoint: "GET /asyncapi.json", specification: "platform" },
  { endpoint: "GET /docs/", specification: "platform" },
  { endpoint: "GET /docs/events", specification: "platform" },
  { endpoint: "GET /docs/guides", specification: "platform" },
  { endpoint: "GET /docs/guides/{name}", specification: "platform" },
  { endpoint: "GET /problems/{code}", specification: "platform" },
  { endpoint: "GET /schemas/events/{type}", specification: "platform" },
  { endpoint: "GET /livez", specification: "platform" },
  { endpoint: "GET /readyz", specification: "platform" },
  { endpoint: "GET /metrics", specification: "platform", surface: "internal" },
];

/** Puts the members in one order, so that the file changes only where an endpoint changes. */
function inOrder(row: Endpoint): Endpoint {
  const { endpoint, specification, surface, auth, scopes, platformAdmin, operation, success, rate, idempotent } = row;
  return { endpoint, specification, surface, auth, scopes, platformAdmin, operation, success, rate, idempotent };
}
