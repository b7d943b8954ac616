import { deserialize, serialize } from "node:v8";
import { storedDocuments } from "@factory/rest-facade/stored-documents";
import { parse, printSchema } from "graphql";
import { askedOperation } from "../query-planner/asked-operation.js";
import { OperationPlanner } from "../query-planner/operation-planner.js";
import { readCommittedSupergraph } from "./committed-supergraph.js";
import { type PreparedSupergraph, prepareSupergraph } from "./prepared-supergraph.js";

const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

describe("a prepared supergraph", () => {
  let sdl: string;
  let preparedSupergraph: PreparedSupergraph;
  beforeAll(async () => {
    sdl = await readCommittedSupergraph();
    // as the build's file keeps it
    preparedSupergraph = deserialize(serialize(prepareSupergraph(sdl, storedDocuments())));
  });

  it("has the schemas, names and subgraphs of the planner that reads the whole supergraph", () => {
    const [now, readPlanner] = [new OperationPlanner(sdl, preparedSupergraph), new OperationPlanner(sdl)];
    expect(printSchema(now.apiSchema)).toBe(printSchema(readPlanner.apiSchema));
    expect(printSchema(now.supergraphSchema)).toBe(printSchema(readPlanner.supergraphSchema));
    expect([...now.fieldNames].toSorted()).toEqual([...readPlanner.fieldNames].toSorted());
    expect([now.inputFields, now.subgraphNames]).toEqual([readPlanner.inputFields, readPlanner.subgraphNames]);
  });

  it("has the plan of every stored document that the planner makes", () => {
    const planner = new OperationPlanner(sdl);
    for (const { text, operationName } of storedDocuments()) {
      const plans = planner.allPlans(askedOperation(planner, parse(text), operationName));
      expect([operationName, plain(preparedSupergraph.plans.get(text))]).toEqual([operationName, plain(plans)]);
    }
  });

  it("plans other documents as before", () => {
    const document = parse("{ me { clientId } }");
    const plan = (planner: OperationPlanner) =>
      plain(planner.plans(askedOperation(planner, document, undefined)).general);
    expect(plan(new OperationPlanner(sdl, preparedSupergraph))).toEqual(plan(new OperationPlanner(sdl)));
  });

  it("is not made for a document that does not fit", () => {
    const misfit = { text: "query lost { lost }", operationName: "lost" };
    expect(() => prepareSupergraph(sdl, [misfit])).toThrow(
      'The stored operation lost does not fit the graph: Cannot query field "lost" on type "Query".',
    );
  });
});
