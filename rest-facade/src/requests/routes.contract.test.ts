import { readFileSync } from "node:fs";
import { trackedFilesIn } from "@factory/runtime/subgraph/tracked-files.fixture";
import { buildASTSchema, type GraphQLSchema, OperationTypeNode, parse, validate, valueFromASTUntyped } from "graphql";
import { loadOperation, operationsFolder, rootFieldOf } from "../operations/load-operation.js";
import { deliveryOperation, deliveryRoutes } from "../routes/delivery.routes.js";
import { endpointOf, pathParameters } from "../routes/route.js";
import { areas, routeTables } from "../routes/route-tables.js";

const rows = areas.flatMap((area) =>
  routeTables[area].map((row) => ({ area, row, operation: loadOperation(area, row.run) })),
);

/** The three specifications' endpoint tables. Token and discovery endpoints are plain HTTP and have no row. */
const specifiedEndpoints = [
  "POST /v1/templates",
  "GET /v1/templates/{templateId}",
  "POST /v1/templates/{templateId}/versions",
  "POST /v1/templates/{templateId}/execute",
  "GET /v1/templates/{templateId}/executions/{executionId}",
  "POST /v1/templates/{templateId}/validate",
  "POST /v1/templates/{templateId}/compatibility/evaluate",
  "POST /v1/libraries",
  "GET /v1/libraries/{libraryId}",
  "POST /v1/libraries/search",
  "POST /v1/libraries/compatibility/evaluate",
  "POST /integrations/connections",
  "GET /integrations/connections/{connectionId}",
  "POST /integrations/providers",
  "POST /webhooks/subscriptions",
  "POST /webhooks/deliveries",
  "GET /integrations/runs/{runId}",
  "POST /integrations/credentials/rotate",
  "GET /v1/tenants",
  "POST /v1/tenants",
  "POST /v1/tenants/{tenantId}/provision",
  "GET /v1/users",
  "POST /v1/users/invitations",
  "GET /v1/roles",
  "POST /v1/roles/{roleId}/assignments",
  "GET /v1/subscriptions",
  "POST /v1/subscriptions/{id}/activate",
  "GET /v1/feature-flags",
  "PUT /v1/feature-flags/{key}",
  "GET /v1/notifications",
  "POST /v1/notifications",
  "GET /v1/reports",
  "POST /v1/reports/{id}/generate",
  "GET /v1/config",
  "PUT /v1/config/{key}",
];

/** A POST that runs a query, since its question is too long for a query string. */
const searches: ReadonlySet<string> = new Set([
  "POST /v1/libraries/search",
  "POST /v1/notification-templates/{key}/preview",
]);

describe("the route tables", () => {
  it("have exactly one row for every specified endpoint", () => {
    const ofVendors = Object.values(deliveryRoutes).map(({ at }) => at);
    const knownEndpoints: string[] = [...rows.map(({ row }) => row.at), ...ofVendors];
    expect(
      specifiedEndpoints.filter((at) => knownEndpoints.filter((candidate) => candidate === at).length !== 1),
    ).toEqual([]);
    expect(new Set(knownEndpoints).size).toBe(knownEndpoints.length);
  });

  it("have exactly one row for every document", () => {
    const documents = areas.flatMap((area) =>
      trackedFilesIn(new URL(`${area}/`, operationsFolder)).map((file) => `${area}/${file.replace(/\.graphql$/, "")}`),
    );
    const ofVendors = `${deliveryOperation.area}/${deliveryOperation.run}`;
    expect(documents.sort()).toEqual([...rows.map(({ area, row }) => `${area}/${row.run}`), ofVendors].sort());
  });

  it.each(rows)("$row.at: variables cover the path, GET runs a query", ({ row, operation }) => {
    const { method, path } = endpointOf(row.at);
    const variables = operation.definition.variableDefinitions?.map(({ variable }) => variable.name.value) ?? [];
    expect(variables).toEqual(expect.arrayContaining(pathParameters(path)));
    if (method === "GET") expect(operation.definition.operation).toBe(OperationTypeNode.QUERY);
    else if (!searches.has(row.at)) expect(operation.definition.operation).toBe(OperationTypeNode.MUTATION);
  });

  it("name only Locations that a row answers", () => {
    // The body's member may have another name than the path parameter.
    const withoutNames = (place: string) => place.replaceAll(/\{\w+\}/g, "{}");
    const servedPlaces = new Set(rows.map(({ row }) => withoutNames(row.at)));
    const places = rows.flatMap(({ row }) => ("location" in row ? [`GET ${row.location}`] : []));
    expect(places.length).toBeGreaterThan(5);
    expect(places.filter((place) => !servedPlaces.has(withoutNames(place)))).toEqual([]);
  });

  it("accept an Idempotency-Key for every mutation with a token and for nothing else", () => {
    // a session that has ended cannot end again
    const keeps = ({ row, operation }: (typeof rows)[number]) =>
      operation.definition.operation === "mutation" && !row.anonymous && !row.forPeople;
    const wrong = rows.filter((entry) => keeps(entry) !== (entry.row.idempotent === true));
    expect(wrong.map(({ row }) => row.at)).toEqual([]);
  });
});

describe("the route tables and schema/supergraph.graphql", () => {
  const graph = (): GraphQLSchema => {
    const sdl = readFileSync(new URL("../../../schema/supergraph.graphql", import.meta.url), "utf8");
    return buildASTSchema(parse(sdl), { assumeValid: true, assumeValidSDL: true });
  };

  it("every document fits the graph", () => {
    const schema = graph();
    for (const { operation } of rows)
      expect([operation.name, validate(schema, parse(operation.text))]).toEqual([operation.name, []]);
  });

  it("every row states the rule of its root field", () => {
    const schema = graph();
    const statedRules = rows.map(({ row: { at, scopes, platformAdmin = false, anonymous = false } }) => [
      at,
      [...scopes].sort(),
      platformAdmin,
      anonymous,
    ]);
    const enforcedRules = rows.map(({ row, operation }) => {
      const directive = rootFieldOf(schema, operation).astNode?.directives?.find(({ name }) => name.value === "auth");
      const rule = Object.fromEntries(
        directive?.arguments?.map(({ name, value }) => [name.value, valueFromASTUntyped(value)]) ?? [],
      );
      const scopes = [...((rule["scopes"] ?? []) as string[])].sort();
      return [row.at, scopes, rule["platformAdmin"] ?? false, rule["anonymous"] ?? false];
    });
    expect(statedRules).toEqual(enforcedRules);
  });
});
