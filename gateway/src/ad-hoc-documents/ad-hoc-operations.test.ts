import type { Principal } from "@factory/runtime/auth/principal";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import { openShop } from "../execution/shop.fixture.js";
import { adHocOperations } from "./ad-hoc-operations.fixture.js";
import type { AdHocOperations } from "./ad-hoc-operations.js";
import { costlyDocument } from "./costly-document.fixture.js";

const shop = openShop();
let operations: AdHocOperations;
let invalid = 0;

const limits = {
  spend: async () => ({ exceeded: false, seconds: 5 }),
  charge: (_rate: string, _principal: Principal, points: number) => void (invalid += points),
  spendAnonymous: async () => ({ exceeded: false, seconds: 5 }),
};
const principal = { clientId: "cli", tenantId: "ten" } as Principal;

beforeEach(() => {
  invalid = 0;
  operations = adHocOperations(shop, limits);
});
afterEach(() => operations.close());

async function read(text: string, more: { operationName?: string; variables?: Record<string, unknown> } = {}) {
  const { operationName, variables = {} } = more;
  const context = requestContext({ principal, trace: continueTrace(undefined) });
  const outcome = await operations.read({ text, operationName, variables }, context);
  if ("errors" in outcome) return { codes: outcome.errors.map(({ extensions }) => extensions["code"]) };
  return { data: (await outcome.operation.execute(variables, context)).data, operation: outcome.operation };
}

describe("an ad-hoc operation", () => {
  it("is planned once for all who ask for it at the same time, and kept", async () => {
    const [first, other] = await Promise.all([read("{ me { id } }"), read("{ me { id } }")]);
    expect(first.data).toEqual({ me: { id: "1" } });
    expect(other.operation).toBe(first.operation);
    expect((await read("{ me { id } }")).operation).toBe(first.operation);
    expect(operations.held.documents).toBe(1);
  });

  it("is found by name in a document that is kept once", async () => {
    const text = 'query A { me { id } } query B { user(id: "2") { id } }';
    expect((await read(text, { operationName: "A" })).data).toEqual({ me: { id: "1" } });
    expect((await read(text, { operationName: "B" })).data).toEqual({ user: { id: "2" } });
    expect((await read(text)).codes).toEqual(["VALIDATION_FAILED"]);
    expect(operations.held.documents).toBe(1);
  });

  it("takes memory within bounds, whatever is sent", async () => {
    for (let count = 0; count < 520; count += 1) await read(`{ a${count}: version }`);
    expect(operations.held.documents).toBe(500);
    expect(operations.held.bytes).toBeLessThan(16 * 1024 * 1024);
  });

  it.each([
    ["a literal", `{ echo(filter: ${"{nested: ".repeat(32)}{}${"}".repeat(32)}) }`, {}],
    ["a variable", "query ($f: Filter) { echo(filter: $f) }", { f: JSON.parse(`${"[".repeat(40)}${"]".repeat(40)}`) }],
  ])("is refused for the depth of %s, and its author is charged", async (_, text, variables) => {
    expect((await read(text, { variables })).codes).toEqual(["TOO_COMPLEX"]);
    expect(operations.held.documents).toBe(0);
    expect(invalid).toBe(1);
  });

  it("answers a nested literal as the same value in a variable", async () => {
    const nestedText = `${"{nested: ".repeat(20)}{name: "deep"}${"}".repeat(20)}`;
    const value = JSON.parse(nestedText.replace(/(nested|name)/g, '"$1"')) as object;
    const literal = await read(`{ echo(filter: ${nestedText}) }`);
    const variable = await read("query ($f: Filter) { echo(filter: $f) }", { variables: { f: value } });
    expect(literal.data?.["echo"]).toContain("deep");
    expect(literal.data).toEqual(variable.data);
  });

  it("that takes too long to plan is refused, and charged for more than a few", async () => {
    await operations.close();
    operations = adHocOperations(shop, limits, { planning: { cpuMs: 100 } });
    // with one more condition its cost would be refused before it is planned
    const text = costlyDocument({
      ...{ type: "User", field: "age", conditions: 11 },
      enclose: (selection) => `me ${selection}`,
    });
    expect((await read(text)).codes).toEqual(["TOO_COMPLEX"]);
    expect(invalid).toBe(60);
  });
});
