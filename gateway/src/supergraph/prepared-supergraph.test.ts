import { deserialize, serialize } from "node:v8";
import { storedDocuments } from "@factory/rest-facade/stored-documents";
import {
  buildSchema,
  type ConstDirectiveNode,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  isInputObjectType,
  isObjectType,
  parse,
  print,
  printSchema,
} from "graphql";
import { SupergraphExecutor } from "../execution/supergraph-executor.js";
import { askedOperation } from "../query-planner/asked-operation.js";
import { OperationPlanner } from "../query-planner/operation-planner.js";
import { PreparedPlanner } from "../query-planner/prepared-planner.js";
import { localSubgraph } from "../subgraphs/local-subgraph.js";
import { readCommittedSupergraph } from "./committed-supergraph.js";
import { type PreparedSupergraph, prepareSupergraph } from "./prepared-supergraph.js";

/** Every `@auth` and `@constraint`, with its place. The platform reads them from the syntax trees. */
function appliedRules(schema: GraphQLSchema): string[] {
  const rulesAt = (place: string, { astNode }: Described) =>
    (astNode?.directives ?? [])
      .filter(({ name }) => name.value === "auth" || name.value === "constraint")
      .map((rule) => `${place} ${print(rule)}`);
  return Object.values(schema.getTypeMap())
    .flatMap((type) =>
      isObjectType(type) || isInputObjectType(type)
        ? Object.values<GraphQLField<unknown, unknown> | GraphQLInputField>(type.getFields()).flatMap((field) => [
            ...rulesAt(`${type.name}.${field.name}`, field),
            ...("args" in field ? field.args : []).flatMap((arg) =>
              rulesAt(`${type.name}.${field.name}(${arg.name})`, arg),
            ),
          ])
        : [],
    )
    .toSorted();
}

interface Described {
  readonly astNode?: { readonly directives?: readonly ConstDirectiveNode[] | undefined } | null | undefined;
}

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
    const rules = appliedRules(now.supergraphSchema);
    expect(rules.length).toBeGreaterThan(500);
    expect(rules).toEqual(appliedRules(readPlanner.supergraphSchema));
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
