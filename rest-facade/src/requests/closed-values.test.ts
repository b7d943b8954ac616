import { type Started, startWith } from "../facade.fixture.js";

let facade: Started;
let reached = 0;

beforeAll(async () => {
  const count = () => {
    reached += 1;
    throw new Error("The graph was reached");
  };
  const names = ["providers", "registerProvider", "createTemplateVersion", "activatePlanSubscription", "runs"];
  facade = await startWith(Object.fromEntries(names.map((name) => [name, count])));
});
afterAll(() => facade.close());
beforeEach(() => {
  reached = 0;
});

const provider = { key: "acme", displayName: "Acme", category: "Tool", authModel: "None" };
const version = {
  semanticVersion: "1.0.0",
  sourceRef: "git+https://h.example/a.git#main",
  engineKind: "DotnetNewTemplatePack",
  targetFramework: "net8.0",
};
const categories =
  "Analytics, Cloud, Commerce, Communication, CustomerRelationship, Identity, Model, Other, Payment, SourceControl, Storage, Support, Tool";

describe("a value outside of its closed list", () => {
  it.each([
    ["POST /integrations/providers", { ...provider, category: "Fun" }, "422 PARAMETERS_INVALID", "/category"],
    [
      "POST /v1/templates/tpl_1/versions",
      { ...version, engineKind: "Other" },
      "422 ENGINE_KIND_NOT_SUPPORTED",
      "/engineKind",
    ],
    ["GET /integrations/providers?category=Fun", undefined, "422 PARAMETERS_INVALID", "/category"],
    ["GET /integrations/runs?operation=Sleep", undefined, "422 PARAMETERS_INVALID", "/operation"],
  ])("is refused before the graph runs: %s", async (at, body, code, pointer) => {
    const { status, json } = await facade.call(at, { body });
    expect(`${status} ${json["code"]}`).toBe(code);
    expect(json["errors"]).toEqual([
      { pointer, code: "UNKNOWN_VALUE", detail: expect.stringMatching(/^Must be one of \w+/) },
    ]);
    expect(reached).toBe(0);
  });

  it("names the allowed values", async () => {
    const { json } = await facade.call("GET /integrations/providers?category=Fun");
    expect(json["errors"][0].detail).toBe(`Must be one of ${categories}.`);
  });

  it.each([
    ["POST /integrations/providers", { ...provider, category: "Fun" }],
    ["GET /integrations/providers?category=Fun", undefined],
  ])("says nothing to a caller without the scope: %s", async (at, body) => {
    const { status, json } = await facade.call(at, { body, token: "scopeless" });
    expect([status, json["code"], json["errors"]]).toEqual([403, "INSUFFICIENT_SCOPE", undefined]);
  });

  it("is reported with everything else that is wrong, as a wrong form", async () => {
    const { status, json } = await facade.call("POST /integrations/providers", {
      body: { ...provider, category: "Fun", displayName: 7 },
    });
    expect([status, json["code"]]).toEqual([400, "VALIDATION_FAILED"]);
    const problems = json["errors"].map((error: { pointer: string; code: string }) => `${error.pointer} ${error.code}`);
    expect(problems.toSorted()).toEqual(["/category UNKNOWN_VALUE", "/displayName TYPE"]);
    const list = await facade.call("GET /integrations/providers?category=Fun&color=red");
    expect([list.status, list.json["code"]]).toEqual([400, "VALIDATION_FAILED"]);
  });

  it("is a wrong form where it is the order of a list", async () => {
    const { status, json } = await facade.call("GET /integrations/providers?sort=fame");
    expect([status, json["code"], json["errors"][0].pointer]).toEqual([400, "VALIDATION_FAILED", "/sort"]);
  });
});

describe("the OpenAPI document", () => {
  it("lists the values of enums, of texts with a closed list, and of the order of a list", async () => {
    const { json } = await facade.call("GET /openapi.json");
    const parameters: { name: string; schema: object }[] = json["paths"]["/integrations/providers"].get.parameters;
    const schemaOf = (name: string) => parameters.find((parameter) => parameter.name === name)?.schema;
    expect(schemaOf("status")).toMatchObject({
      type: "string",
      enum: ["Deprecated", "Disabled", "Registered", "Retired"],
    });
    expect(schemaOf("sort")).toMatchObject({ enum: expect.arrayContaining(["key", "-key", "-registeredAt"]) });
    const { schemas } = json["components"];
    expect(schemas["CreateWebhookSubscriptionInput"].properties.contentType).toMatchObject({
      enum: ["application/json", "application/cloudevents+json", null],
    });
    expect(JSON.stringify(schemas["WebhookSubscriptionResponse"])).toContain(
      '"enum":["application/json","application/cloudevents+json"]',
    );
  });
});
