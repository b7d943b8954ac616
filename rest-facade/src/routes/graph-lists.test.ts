import { type Started, startWith } from "../facade.fixture.js";

describe("a list that only the graph has", () => {
  let facade: Started;

  beforeAll(async () => {
    facade = await startWith({});
  });

  afterAll(() => facade.close());

  it.each([
    ["/v1/templates", 405, "templates"],
    ["/v1/libraries?limit=10", 405, "libraries"],
    ["/v1/templates/tpl_1/executions", 404, "executions"],
  ])("is named where a caller looks for it: %s", async (path, expectedStatus, query) => {
    const { status, json } = await facade.call(`GET ${path}`);
    expect([status, json["detail"]]).toEqual([
      expectedStatus,
      expect.stringContaining(`This list is the GraphQL query \`${query}\` at /graphql.`),
    ]);
  });

  it("is not named for another method", async () => {
    const { status, json } = await facade.call("DELETE /v1/templates");
    expect([status, json["detail"]]).toEqual([405, expect.not.stringContaining("/graphql")]);
  });
});
