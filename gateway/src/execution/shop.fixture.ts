import { composeServices } from "@apollo/composition";
import { type GraphQLSchema, parse } from "graphql";
import { accounts, accountsSchema } from "./accounts.fixture.js";
import { Channel } from "./channel.fixture.js";
import { products, productsSchema } from "./products.fixture.js";
import { reviews, reviewsSchema } from "./reviews.fixture.js";
import type { Row } from "./words.fixture.js";

export interface Shop {
  readonly schemas: ReadonlyMap<string, GraphQLSchema>;
  readonly supergraphSdl: string;
  readonly renamed: Channel<Row>;
  readonly added: Channel<Row>;
  /** For each entity fetch: the subgraph and how many representations it received. */
  readonly asked: { subgraph: string; count: number }[];
}

let composedSdl: string | undefined;

/** Three subgraphs with their own data, so that a mutation in one shop does not change another shop. */
export function openShop(): Shop {
  const renames = new Channel<Row>();
  const additions = new Channel<Row>();
  const requests: Shop["asked"] = [];
  const schemas = new Map([
    ["accounts", watched("accounts", requests, accountsSchema(renames))],
    ["products", watched("products", requests, productsSchema())],
    ["reviews", watched("reviews", requests, reviewsSchema(additions))],
  ]);
  composedSdl ??= compose();
  return { schemas, supergraphSdl: composedSdl, renamed: renames, added: additions, asked: requests };
}

function compose(): string {
  const result = composeServices(
    Object.entries({ accounts, products, reviews }).map(([name, sdl]) => ({
      name,
      url: `http://${name}.invalid`,
      typeDefs: parse(sdl),
    })),
  );
  if (result.errors) {
    throw new Error(result.errors.map((error) => error.message).join("\n"));
  }
  return result.supergraphSdl;
}

function watched(subgraph: string, requests: Shop["asked"], schema: GraphQLSchema): GraphQLSchema {
  const field = schema.getQueryType()?.getFields()["_entities"];
  const resolve = field?.resolve;
  if (field && resolve) {
    field.resolve = (source, args: { representations: unknown[] }, context, info) => {
      requests.push({ subgraph, count: args.representations.length });
      return resolve(source, args, context, info);
    };
  }
  return schema;
}
