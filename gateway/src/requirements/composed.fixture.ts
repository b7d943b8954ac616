import { composeServices } from "@apollo/composition";
import { buildSubgraphSchema } from "@apollo/subgraph";
import { type ExecutionResult, parse, validate } from "graphql";
import { SupergraphExecutor } from "../execution/supergraph-executor.js";
import { OperationPlanner } from "../query-planner/operation-planner.js";
import { localSubgraph } from "../subgraphs/local-subgraph.js";
import type { Subgraph } from "../subgraphs/subgraph.js";

type Modules = Extract<Parameters<typeof buildSubgraphSchema>[0], readonly unknown[]>;
type Resolvers = NonNullable<Extract<Modules[number], { resolvers?: unknown }>["resolvers"]>;

const link = `extend schema @link(
  url: "https://specs.apollo.dev/federation/v2.5"
  import: ["@key", "@external", "@requires", "@interfaceObject", "@shareable"]
)
`;

interface Composed {
  readonly executor: SupergraphExecutor<object>;
  /** The operations that the subgraphs prepared, in order. */
  readonly prepared: { readonly subgraph: string; readonly operation: string }[];
  readonly run: (text: string, variables?: Record<string, unknown>) => Promise<ExecutionResult>;
}

/** Makes subgraphs from SDL and resolvers, and composes them as in production. */
export function composed(subgraphs: Readonly<Record<string, readonly [sdl: string, resolvers: Resolvers]>>): Composed {
  const entries = Object.entries(subgraphs).map(([name, [sdl, resolvers]]) => ({
    name,
    url: `http://${name}.invalid`,
    typeDefs: parse(link + sdl),
    resolvers,
  }));
  const result = composeServices(entries.map(({ name, url, typeDefs }) => ({ name, url, typeDefs })));
  if (result.errors) throw new Error(result.errors.map(({ message }) => message).join("\n"));
  const preparedOperations: { subgraph: string; operation: string }[] = [];
  const locals = entries.map(({ name, typeDefs, resolvers }): Subgraph<object> => {
    const local = localSubgraph<object>(name, buildSubgraphSchema([{ typeDefs, resolvers }]));
    return {
      ...local,
      prepare: (operation, operationName) => {
        preparedOperations.push({ subgraph: name, operation });
        return local.prepare(operation, operationName);
      },
    };
  });
  const executor = new SupergraphExecutor(new OperationPlanner(result.supergraphSdl), locals);
  return {
    executor,
    prepared: preparedOperations,
    run: async (text, variables) => {
      const document = parse(text);
      expect(validate(executor.apiSchema, document)).toEqual([]);
      const answer = await executor.compile(document).execute(variables, {});
      return JSON.parse(JSON.stringify(answer)) as ExecutionResult;
    },
  };
}
