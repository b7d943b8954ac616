import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectral from "@stoplight/spectral-core";
import rulesets from "@stoplight/spectral-rulesets";
import { request } from "../kit/request.js";

/**
 * The specification gives the first path and the design the second one. They differ in their methods, and in their ids'
 * form: no report definition has the id `runs`, and no run has the id `generate`.
 */
const ambiguous = [
  "no-ambiguous-paths",
  "Paths should resolve unambiguously. Found two ambiguous paths: `/v1/reports/{id}/generate` and `/v1/reports/runs/{reportRunId}`.",
];

async function byRedocly(source: string) {
  const config = await createConfig({ extends: ["recommended"] });
  return lintFromString({ source, absoluteRef: "openapi.json", config });
}

/** `openapi-examples.test.ts` checks every body's example against its schema, in a hundredth of this rule's time. */
const rules = { "oas3-valid-media-example": "off" } as const;

function bySpectral(source: string) {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[rulesets.oas, "recommended"]], rules });
  return linter.run(source);
}

describe("the OpenAPI document that is served", () => {
  let source: string;

  beforeAll(async () => {
    ({ text: source } = await request("GET /openapi.json"));
  });

  it("breaks none of the recommended rules of Redocly but for one known pair of paths", async () => {
    const problems = await byRedocly(source);
    const knownPlaces = [...ambiguous, "#/paths/~1v1~1reports~1runs~1{reportRunId}"];
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([
      knownPlaces,
    ]);
  });

  it("breaks none of the recommended rules of Spectral, but for the one that another test proves", async () => {
    const problems = await bySpectral(source);
    // an event type has members that are called `type` and `example`, but it is not a schema
    const schemaProblems = problems.filter(({ path }) => !path.join("/").includes("/examples/example/value/"));
    expect(schemaProblems.map(({ code, message, path }) => [code, message, path.join("/")])).toEqual([]);
  });

  it("is checked by both linters: each of them finds a planted mistake", async () => {
    const { openapi } = JSON.parse(source) as { openapi: string };
    const brokenDocument = JSON.stringify({ openapi, paths: {} });
    expect(await byRedocly(brokenDocument)).not.toEqual([]);
    expect(await bySpectral(brokenDocument)).not.toEqual([]);
  });

  it("describes every operation and every query parameter of a list", () => {
    const { paths } = JSON.parse(source) as {
      paths: Record<string, Record<string, { description?: string; parameters?: Parameter[] }>>;
    };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ at: `${method} ${path}`, ...operation })),
    );
    expect(operations.filter(({ description }) => !description).map(({ at }) => at)).toEqual([]);
    const paging = operations.flatMap(({ at, parameters = [] }) =>
      parameters.filter(({ name }) => ["limit", "cursor", "sort"].includes(name)).map((each) => ({ at, ...each })),
    );
    expect(paging.length).toBeGreaterThan(15);
    expect(paging.filter(({ description }) => !description)).toEqual([]);
  });
});

interface Parameter {
  readonly name: string;
  readonly description?: string;
}
