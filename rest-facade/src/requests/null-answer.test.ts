import { keepingLogger } from "@factory/runtime/telemetry/logged-lines.fixture";
import { GraphQLError } from "graphql";
import { startWith } from "../facade.fixture.js";
import type { OperationResult } from "./prepared-operation.js";
import { refused } from "./sample-graph.fixture.js";

/** Requests a template whose operation gives this result. */
async function answerTo(result: OperationResult) {
  const lines: string[] = [];
  const prepare = () => ({ run: async () => result });
  const facade = await startWith({}, { prepare, logger: keepingLogger(lines) });
  try {
    const { status, json } = await facade.call("GET /v1/templates/tpl_1");
    const errors = lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50);
    return { status, code: json["code"], traceId: json["traceId"], errors };
  } finally {
    await facade.close();
  }
}

const nullError = new GraphQLError("Cannot return null for non-nullable field Template.name.", {
  path: ["template", "name"],
  extensions: { code: "INVALID_GRAPHQL" },
});

describe("a null where a resource is expected", () => {
  it("is 404 when the root field is null without an error", async () => {
    expect(await answerTo({ data: { template: null } })).toMatchObject({ status: 404, code: "NOT_FOUND", errors: [] });
  });

  it("has the status of the error that caused it, also if the error is at a deeper level", async () => {
    const down = refused("UNAVAILABLE", "The database does not answer.");
    expect(await answerTo({ data: null, errors: [down] })).toMatchObject({ status: 503, code: "UNAVAILABLE" });
    expect(await answerTo({ data: { template: null }, errors: [down] })).toMatchObject({ status: 503 });
  });

  it.each([
    ["the whole answer", { data: null, extensions: { valueCompletion: [nullError] } }],
    ["the root field", { data: { template: null }, extensions: { valueCompletion: [nullError] } }],
    ["a part", { data: { template: { name: "a", owner: null } }, extensions: { valueCompletion: [nullError] } }],
    ["an answer without a reason", { data: null }],
    ["an answer without its root field", { data: {} }],
  ])(
    "is not reported as 404 when a null that the graph forbids has removed %s: this is a bug and is logged",
    async (_what, result) => {
      const { status, code, traceId, errors } = await answerTo(result);
      expect([status, code]).toEqual([500, "INTERNAL"]);
      expect(errors).toHaveLength(1);
      expect(errors[0]).toMatchObject({ traceId, msg: "request failed" });
      if ("extensions" in result) expect(errors[0].err.message).toContain("Template.name");
    },
  );
});
