import type { DomainError } from "@factory/runtime/errors/domain-error";
import type { FastifyRequest } from "fastify";
import { buildSchema } from "graphql";
import { isList } from "../operations/load-operation.js";
import { compileRoutes } from "./compile-route.js";
import { requireKnownParameters, unknownParameters } from "./known-parameters.js";
import { prepareWith, sampleSdl } from "./sample-graph.fixture.js";

const schema = buildSchema(sampleSdl, { assumeValidSDL: true });
const rows = compileRoutes(schema, prepareWith({}, schema)).filter(({ method }) => method === "GET");
const lists = rows.filter(({ operation }) => isList(operation));
const others = rows.filter(({ operation }) => !isList(operation));

const params = new Proxy({}, { get: () => "some-id" });
const requestWith = (query: object) => ({ params, query, headers: {} }) as unknown as FastifyRequest;

function refusedBy(readParameters: (request: FastifyRequest) => unknown, query: object) {
  try {
    readParameters(requestWith(query));
    return undefined;
  } catch (error) {
    const { code, facts } = error as DomainError;
    return { code, errors: facts.errors };
  }
}

describe("an unknown query parameter", () => {
  it("has lists in each specification that could take it", () => {
    const areas = new Set(lists.map(({ area }) => area));
    expect([...areas].sort()).toEqual(["integration", "spine"]);
    expect(lists.length).toBeGreaterThan(20);
  });

  it.each(lists.map((route) => ({ at: route.row.at, route })))("is no filter without effect for $at", ({ route }) => {
    expect(refusedBy(route.read, { madeUpFilter: "1" })).toEqual({
      code: "VALIDATION_FAILED",
      errors: [{ pointer: "/madeUpFilter", code: "UNKNOWN_VALUE", detail: expect.stringContaining("no such query") }],
    });
    for (const { names } of route.query)
      for (const name of names) {
        const wrong = `${name}s`;
        if (route.query.some((parameter) => parameter.names.includes(wrong))) continue;
        expect(refusedBy(route.read, { [wrong]: "1" })?.errors).toEqual([
          { pointer: `/${wrong}`, code: "UNKNOWN_VALUE", detail: expect.stringContaining(`Did you mean ${name}?`) },
        ]);
        const fieldErrors = refusedBy(route.read, { [name]: "1" })?.errors ?? [];
        expect(fieldErrors.filter(({ detail }) => detail.includes("no such query"))).toEqual([]);
      }
  });

  it.each(others.map((route) => ({ at: route.row.at, route })))(
    "is tolerated by $at, which is no list",
    ({ route }) => {
      expect(refusedBy(route.read, { madeUpFilter: "1" })).toBeUndefined();
    },
  );

  it("is reported beside a value that is wrong", () => {
    const runs = lists.find(({ row }) => row.run === "runs");
    const refusal = runs && refusedBy(runs.read, { limit: "0", statuss: "Failed" });
    expect(refusal?.errors?.map(({ pointer }) => pointer)).toEqual(["/limit", "/statuss"]);
  });

  it("costs little and shows little, however many and however long", () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, place) => [`${"x".repeat(200)}~/${place}`, "1"]));
    const errors = unknownParameters(many, ["limit"]);
    expect(errors).toHaveLength(20);
    for (const { pointer, detail } of errors) expect(pointer.length + detail.length).toBeLessThan(300);
    expect(unknownParameters({ "a/b~c": "1" }, [])).toEqual([
      { pointer: "/a~1b~0c", code: "UNKNOWN_VALUE", detail: expect.stringContaining("It has none.") },
    ]);
  });

  it("of a name that every object has is unknown too", () => {
    const query = Object.assign(Object.create(null) as object, { constructor: "1", toString: "2" });
    expect(() => requireKnownParameters(query, ["limit"])).toThrow(
      expect.objectContaining({ code: "VALIDATION_FAILED" }),
    );
    expect(() => requireKnownParameters({ limit: "1" }, ["limit"])).not.toThrow();
  });
});
