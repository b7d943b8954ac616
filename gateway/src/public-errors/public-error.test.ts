import { createLogger } from "@factory/runtime/telemetry/logger";
import { buildSchema, GraphQLError, getOperationAST, getVariableValues, parse, validate } from "graphql";
import { publicErrors } from "./public-error.js";

const apiSchema = buildSchema("type Query { a(of: Int, kind: Kind): Int } enum Kind { ONE TWO }");
const options = { logger: createLogger("test", "silent"), graphs: { current: { apiSchema } } };
const show = publicErrors({ ...options, schemaDetails: false });

describe("an error that a caller is shown", () => {
  it.each([
    ["without a code", undefined],
    ["of Apollo's own", "INTERNAL_SERVER_ERROR"],
    ["of a subgraph that gave none", "DOWNSTREAM_SERVICE_ERROR"],
  ])("holds nothing of a bug: %s", (_, code) => {
    const publicError = show(
      {
        message: "insert into secrets failed",
        extensions: { ...(code ? { code } : {}), query: "insert", stacktrace: ["/srv"] },
      },
      new Error("insert into secrets failed"),
    );
    expect(JSON.stringify(publicError)).not.toMatch(/secrets|insert|srv/);
    expect(["INTERNAL", "UPSTREAM_FAILED"]).toContain(publicError.extensions?.["code"]);
  });

  it("keeps the facts of a refusal", () => {
    const refusal = {
      message: "The token lacks a scope.",
      extensions: { code: "INSUFFICIENT_SCOPE", requiredScopes: ["a"] },
    };
    expect(show(refusal, undefined)).toEqual(refusal);
  });

  it("names nothing of a schema that is not shown", () => {
    const unknownField = new GraphQLError('Cannot query field "a" on type "Query". Did you mean "b" or "c"?');
    const publicError = { message: 'Cannot query field "a".', extensions: { code: "VALIDATION_FAILED" } };
    expect(show(unknownField.toJSON(), unknownField)).toEqual(publicError);
    const open = publicErrors({ ...options, schemaDetails: true });
    expect(open(unknownField.toJSON(), unknownField).message).toBe(unknownField.message);
  });

  it("keeps names in a refusal of our own", () => {
    const refusal = { message: 'Unknown scope "templates.read".', extensions: { code: "VALIDATION_FAILED" } };
    expect(show(refusal, new GraphQLError(refusal.message, { extensions: refusal.extensions }))).toEqual(refusal);
  });

  it("says what is wrong with variables", () => {
    const { variableDefinitions = [] } = getOperationAST(parse("query ($of: Int) { a(of: $of) }")) ?? {};
    const [wrong] = getVariableValues(apiSchema, variableDefinitions, { of: "x" }).errors ?? [];
    if (!wrong) throw new Error("it fits");
    expect(show(wrong.toJSON(), wrong)).toMatchObject({
      message: 'Variable "$of" got invalid value; Int cannot represent non-integer value.',
      extensions: { code: "VALIDATION_FAILED" },
    });
  });

  it.each([
    [{ kind: "THREE" }, "The value does not exist in the enum."],
    [{ kind: 'x" does not exist in "Other" enum. Did you mean' }, "The value does not exist in the enum."],
    [{ kind: 3 }, "The enum cannot represent non-string value."],
  ])("names the values of an enum: %j", (variables, sentence) => {
    const { variableDefinitions = [] } = getOperationAST(parse("query ($kind: Kind) { a(kind: $kind) }")) ?? {};
    const [wrong] = getVariableValues(apiSchema, variableDefinitions, variables).errors ?? [];
    if (!wrong) throw new Error("it fits");
    expect(show(wrong.toJSON(), wrong).message).toBe(
      `Variable "$kind" got invalid value; ${sentence} Must be one of ONE, TWO.`,
    );
  });

  it.each(["{ a(kind: ONCE) }", '{ a(kind: "ONE") }'])("names the values of an enum in %s", (text) => {
    const [wrong] = validate(apiSchema, parse(text));
    if (!wrong) throw new Error("it is valid");
    expect(show(wrong.toJSON(), wrong).message).toMatch(/enum\b.*\. Must be one of ONE, TWO\.$/);
  });

  it("tells of too many tokens as of every limit", () => {
    try {
      parse("{ a b c }", { maxTokens: 3 });
      throw new Error("it is within the limit");
    } catch (wrong) {
      expect(show((wrong as GraphQLError).toJSON(), wrong).extensions).toEqual({ code: "TOO_COMPLEX" });
    }
  });

  it("keeps the code of a broken limit", () => {
    const limitError = { message: "Too deep.", extensions: { code: "TOO_COMPLEX" } };
    expect(show(limitError, undefined).extensions).toEqual({ code: "TOO_COMPLEX" });
  });
});
