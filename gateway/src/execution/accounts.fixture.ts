import { buildSubgraphSchema } from "@apollo/subgraph";
import { type GraphQLSchema, parse } from "graphql";
import type { Channel } from "./channel.fixture.js";
import { link, type Row, refuse } from "./words.fixture.js";

export const accounts = `${link}
type Query {
  me: User
  nobody: User
  user(id: ID!): User
  users(first: Int): [User!]!
  usersWithGap: [User]
  strictUsers: [User!]
  account(id: ID!): Node
  echo(text: String = "default", list: [Int!], filter: Filter): String
  boom: String
  boomStrict: String!
  version: String! @shareable
}
type Mutation {
  renameUser(id: ID!, name: String!): User
  failUser(id: ID!): User
}
type Subscription { userRenamed(id: ID): User  alarm: User! }
interface Node { id: ID! }
input Filter { name: String = "any", tags: [String!], nested: Filter }
enum Role { ADMIN MEMBER GHOST @inaccessible }
scalar JSON
type Address @shareable { street: String city: City }
type City @shareable { name: String! zip: String }
type User implements Node @key(fields: "id") @key(fields: "email") {
  id: ID!
  email: ID!
  name: String @shareable
  nickname: String
  role: Role
  birthYear: Int
  settings: JSON
  secret: String
  strictSecret: String!
  address: Address @shareable
  friends: [User!]
  query: Query!
}`;

export function accountsSchema(renames: Channel<Row>): GraphQLSchema {
  const users = new Map<string, Row>(
    [
      {
        id: "1",
        email: "ada@x",
        name: "Ada",
        nickname: "countess",
        role: "ADMIN",
        birthYear: 1815,
        friendIds: ["2", "3"],
      },
      { id: "2", email: "alan@x", name: "Alan", nickname: null, role: "MEMBER", birthYear: 1912, friendIds: ["1"] },
      { id: "3", email: "ghost@x", name: null, nickname: "g", role: "GHOST", birthYear: null, friendIds: [] },
    ].map((row) => [row.id, { __typename: "User", ...row, settings: { theme: "dark", nested: { __proto__x: 1 } } }]),
  );
  const resolvers = {
    Query: {
      me: () => users.get("1"),
      nobody: () => null,
      user: (_: unknown, args: { id: string }) => users.get(args.id) ?? null,
      users: async (_: unknown, args: { first?: number }) => [...users.values()].slice(0, args.first ?? 10),
      usersWithGap: () => [users.get("1"), null, users.get("2"), users.get("1")],
      strictUsers: () => [users.get("1"), null],
      account: (_: unknown, args: { id: string }) => users.get(args.id) ?? null,
      echo: (_: unknown, args: Row) => JSON.stringify(args),
      boom: () => refuse("boom went off"),
      boomStrict: () => {
        throw new Error("strict boom");
      },
      version: () => "1",
    },
    Mutation: {
      renameUser: async (_: unknown, args: { id: string; name: string }) => {
        const user = users.get(args.id) ?? refuse(`no user ${args.id}`, "NOT_FOUND");
        user["name"] = args.name;
        return user;
      },
      failUser: () => refuse("cannot fail user", "CONFLICT"),
    },
    Subscription: {
      userRenamed: { subscribe: () => renames.open(), resolve: (event: Row) => users.get(String(event["id"])) ?? null },
      alarm: { subscribe: () => refuse("no alarms", "FORBIDDEN") },
    },
    Node: { __resolveType: () => "User" },
    User: {
      __resolveReference: (reference: { id?: string; email?: string }) =>
        users.get(reference.id ?? "") ?? [...users.values()].find((user) => user["email"] === reference.email) ?? null,
      secret: (user: Row) => (user["id"] === "2" ? "s2" : refuse(`no secret of ${String(user["id"])}`, "SECRET")),
      strictSecret: (user: Row) =>
        user["id"] === "2" ? "s2" : refuse(`no strict secret of ${String(user["id"])}`, "SECRET"),
      address: (user: Row) =>
        user["id"] === "3"
          ? null
          : { street: `${String(user["id"])} Road`, city: { name: "London", zip: `Z${String(user["id"])}` } },
      friends: (user: Row) => (user["friendIds"] as string[]).map((id) => users.get(id)),
      query: () => ({}),
    },
  };
  return buildSubgraphSchema([{ typeDefs: parse(accounts), resolvers: resolvers as never }]);
}
