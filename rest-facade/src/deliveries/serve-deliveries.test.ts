import { type Started, startWith } from "../facade.fixture.js";

const json = "application/json; charset=utf-8";
const versionedType = "application/vnd.service.integration.v1+json";
const receipt = { deliveryId: "whd_1", status: "Accepted", normalizedEventType: "WidgetCreated", traceId: "t" };
let facade: Started;
let conflicts: string[] = [];

beforeAll(async () => {
  const take = async () => ({ ...receipt, challenge: null, challengeMediaType: null, deliveries: [], conflicts });
  facade = await startWith({}, { ports: { deliveries: { take } } });
});

afterAll(() => facade.close());

describe("the answer to a delivery", () => {
  it.each([
    ["POST /webhooks/deliveries", versionedType, versionedType],
    ["POST /webhooks/deliveries/acme", versionedType, versionedType],
    ["POST /webhooks/deliveries/acme", `${versionedType};q=0.1, application/json`, json],
    ["POST /webhooks/deliveries/acme", "*/*", json],
    ["POST /webhooks/deliveries/acme", "text/html", json],
  ])("%s with Accept: %s has the media type %s", async (at, accept, type) => {
    const headers = { accept, "content-type": "application/json" };
    const answer = await facade.call(at, { headers, raw: "{}" });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([202, type]);
    expect(answer.headers.get("vary")).toContain("Accept");
    expect(answer.json).toEqual(receipt);
  });

  it("names the events of a list that were not recorded", async () => {
    conflicts = ["e-2"];
    const request = { headers: { "content-type": "application/json" }, raw: "[]" };
    const { status, json: body } = await facade.call("POST /webhooks/deliveries/acme", request);
    expect([status, body]).toEqual([202, { ...receipt, deliveries: [], conflicts }]);
  });
});
