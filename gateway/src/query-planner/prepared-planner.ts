import { buildASTSchema, GraphQLError, type GraphQLSchema, parse } from "graphql";
import type { OperationPlans, Planner } from "./planner.js";
import { fieldNames } from "./planning-names.js";

/** The facts that a build has read from a supergraph. A supergraph with `@requires` inputs has none. */
export interface PreparedSchema {
  /** The SDL for the schema that clients see. */
  readonly apiSdl: string;
  readonly subgraphNames: readonly string[];
}

/** The schemas of a supergraph whose stored documents a build has planned. A start with it loads no Apollo planner. */
export class PreparedPlanner implements Planner {
  readonly apiSchema: GraphQLSchema;
  readonly supergraphSchema: GraphQLSchema;
  readonly fieldNames: ReadonlySet<string>;
  readonly inputFields: ReadonlyMap<string, string> = new Map();
  readonly subgraphNames: readonly string[];

  constructor(supergraphSdl: string, { apiSdl, subgraphNames }: PreparedSchema) {
    this.apiSchema = validSchema(apiSdl);
    this.supergraphSchema = validSchema(supergraphSdl);
    this.subgraphNames = subgraphNames;
    this.fieldNames = fieldNames(this.supergraphSchema);
  }

  plans(): OperationPlans {
    throw new GraphQLError("The build has not planned this document. Build the platform again.");
  }
}

/** The schema from an SDL that was validated in advance. */
const validSchema = (sdl: string): GraphQLSchema =>
  buildASTSchema(parse(sdl, { noLocation: true }), { assumeValid: true, assumeValidSDL: true });
