import { deserialize, serialize } from "node:v8";
import { storedDocuments } from "@factory/rest-facade/stored-documents";
import { buildSchema, type GraphQLSchema, parse, print, printSchema } from "graphql";
import { SupergraphExecutor } from "../execution/supergraph-executor.js";
import { askedOperation } from "../query-planner/asked-operation.js";
import { OperationPlanner } from "../query-planner/operation-planner.js";
import { PreparedPlanner } from "../query-planner/prepared-planner.js";
import { localSubgraph } from "../subgraphs/local-subgraph.js";
import { readCommittedSupergraph } from "./committed-supergraph.js";
import { type PreparedSupergraph, prepareSupergraph } from "./prepared-supergraph.js";

/** Each root field with its `@auth` rule, which a start reads from the syntax tree. */
const rules = (schema: GraphQLSchema) =>
  [schema.getQueryType(), schema.getMutationType()].flatMap((root) =>
    Object.values(root?.getFields() ?? {}).map(({ name, astNode }) => {
      const rule = astNode?.directives?.find((directive) => directive.name.value === "auth");
      return [name, rule && print(rule)];
    }),
  );

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
    const [now, readPlanner] = [new PreparedPlanner(sdl, preparedSupergraph), new OperationPlanner(sdl)];
    expect(printSchema(now.apiSchema)).toBe(printSchema(readPlanner.apiSchema));
    expect(printSchema(now.supergraphSchema)).toBe(printSchema(readPlanner.supergraphSchema));
    expect([...now.fieldNames].toSorted()).toEqual([...readPlanner.fieldNames].toSorted());
    expect([now.inputFields, now.subgraphNames]).toEqual([readPlanner.inputFields, readPlanner.subgraphNames]);
    expect(rules(now.supergraphSchema)).toEqual(rules(readPlanner.supergraphSchema));
  });

  it("has the plan of every stored document that the planner makes", () => {
    const planner = new OperationPlanner(sdl);
    for (const { text, operationName } of storedDocuments()) {
      const plans = planner.allPlans(askedOperation(planner, parse(text), operationName));
      expect([operationName, plain(preparedSupergraph.plans.get(text))]).toEqual([operationName, plain(plans)]);
    }
  });

  it("refuses a document that the build has not planned", () => {
    const subgraphs = preparedSupergraph.subgraphNames.map((name) =>
      localSubgraph(name, buildSchema("type Query { a: ID }")),
    );
    const executor = new SupergraphExecutor(new PreparedPlanner(sdl, preparedSupergraph), subgraphs);
    expect(() => executor.compile(parse("{ me { clientId } }"))).toThrow("The build has not planned this document");
  });

  it("is not made for a document that does not fit", () => {
    const misfit = { text: "query lost { lost }", operationName: "lost" };
    expect(() => prepareSupergraph(sdl, [misfit])).toThrow(
      'The stored operation lost does not fit the graph: Cannot query field "lost" on type "Query".',
    );
  });
});
