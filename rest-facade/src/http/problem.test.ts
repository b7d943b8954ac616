import { DomainError } from "@factory/runtime/errors/domain-error";
import { type ErrorCode, errorCodes } from "@factory/schema/error-codes";
import { type ProblemValues, problemMembers } from "@factory/schema/problem-members";
import { GraphQLError } from "graphql";
import { problemOf, problemType } from "./problem.js";

const place = { traceId: "a".repeat(32), instance: "/v1/templates" };
const graphqlError = (extensions: Record<string, unknown>) => new GraphQLError("said by the graph", { extensions });

describe("problemOf", () => {
  it("supports every code of the closed list", () => {
    for (const code of Object.keys(errorCodes) as ErrorCode[]) {
      const { status, body } = problemOf(new DomainError(code), place);
      expect([status, body["code"], body["type"]]).toEqual([errorCodes[code].status ?? 500, code, problemType(code)]);
    }
  });

  it("shows every further member in one kind, with every code, and a list always as an array", () => {
    const examples: ProblemValues = { text: "a", number: 7, texts: ["a"], objects: [{ of: "a" }] };
    const facts = Object.fromEntries(Object.entries(problemMembers).map(([name, kind]) => [name, examples[kind]]));
    const lists = Object.keys(problemMembers).filter((name) => Array.isArray(facts[name]));
    expect(lists).toEqual(expect.arrayContaining(["allowed", "paths", "requiredScopes"]));
    for (const code of Object.keys(errorCodes) as ErrorCode[]) {
      const { body } = problemOf(new DomainError(code, facts), place);
      expect(body).toMatchObject(facts);
      const { status } = errorCodes[code];
      if (status === null || code === "INTERNAL" || code === "UPSTREAM_FAILED") continue;
      expect(problemOf(graphqlError({ code, ...facts }), place).body).toMatchObject(facts);
    }
  });

  it("waits whole seconds", () => {
    const { headers } = problemOf(new DomainError("RATE_LIMITED", { retryAfterSeconds: 120.1 }), place);
    expect(headers).toEqual({ "retry-after": "121" });
    const problem = problemOf(new DomainError("UNAVAILABLE", { retryAfterSeconds: 30 }), place);
    expect(problem.headers).toEqual({ "retry-after": "30" });
  });

  it("keeps field errors and other members, which cannot replace the standard members", () => {
    const errors = [{ pointer: "/name", code: "REQUIRED", detail: "This member is required." }];
    const facts = { detail: "No.", errors, paths: ["a"], code: "X", traceId: "Y" };
    const { body } = problemOf(new DomainError("CONFLICT", facts), place);
    expect(body).toMatchObject({ detail: "No.", errors, paths: ["a"], code: "CONFLICT", traceId: place.traceId });
  });

  it("changes pointers into arguments of a subgraph to pointers into the request", () => {
    const at = (pointer: string) => ({ pointer, code: "FORMAT", detail: "No." });
    const errors = ["/input/name", "/input", "/filter/status", "/name", "/inputs", "/parameters/input"].map(at);
    const { body } = problemOf(graphqlError({ code: "VALIDATION_FAILED", errors }), place);
    expect(body["errors"]).toEqual(["/name", "", "/status", "/name", "/inputs", "/parameters/input"].map(at));
  });

  it("maps the codes that GraphQL servers use", () => {
    const problemFor = (code: string) => problemOf(graphqlError({ code }), place);
    expect(problemFor("BAD_USER_INPUT").status).toBe(400);
    expect(problemFor("DOWNSTREAM_SERVICE_ERROR").body).toMatchObject({ code: "UPSTREAM_FAILED", status: 502 });
    expect(JSON.stringify(problemFor("DOWNSTREAM_SERVICE_ERROR").body)).not.toContain("said by the graph");
    expect(problemFor("IDEMPOTENCY_IN_PROGRESS").headers).toEqual({ "retry-after": "1" });
    expect(problemFor("UNAUTHENTICATED").headers).toEqual({ "www-authenticate": "Bearer" });
  });

  it("answers INTERNAL for an unknown error, and keeps the cause for the log", () => {
    for (const error of [
      new Error("secret"),
      "secret",
      undefined,
      graphqlError({}),
      graphqlError({ code: "toString" }),
      graphqlError({ code: "INTERNAL" }),
      graphqlError({ code: "RENDER_FAILED" }),
    ]) {
      const problem = problemOf(error, place);
      expect([problem.status, problem.body["code"], "cause" in problem]).toEqual([500, "INTERNAL", true]);
      expect(JSON.stringify(problem.body)).not.toMatch(/secret|said by the graph/);
    }
  });
});
