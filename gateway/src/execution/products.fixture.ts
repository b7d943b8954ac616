import { buildSubgraphSchema } from "@apollo/subgraph";
import { type GraphQLSchema, parse } from "graphql";
import { link, type Row, refuse } from "./words.fixture.js";

export const products = `${link}
type Query {
  product(upc: ID!): Product
  products(first: Int): [Product!]!
  listings: [Listing]
  media: [Media!]
  shelf: [[Product]]
  version: String! @shareable
}
type Mutation { createProduct(upc: ID!, name: String!): Product  failProduct: Product! }
interface Node { id: ID! }
interface Media @key(fields: "id") { id: ID! title: String }
type Book implements Media @key(fields: "id") { id: ID! title: String pages: Int }
type Movie implements Media @key(fields: "id") { id: ID! title: String minutes: Int }
union Listing = Product | Service | User
type Service @key(fields: "id") { id: ID! label: String hours: Int provider: User }
type Dimensions { width: Int height: Int }
type User @key(fields: "email") { email: ID! }
type Product implements Node @key(fields: "upc") {
  id: ID!
  upc: ID!
  name: String
  price: Int
  weight: Float
  tags: [String!]
  grid: [[Int]]
  dimensions: Dimensions
  related: [Product]
  seller: User
  strictPrice: Int!
}`;

export function productsSchema(): GraphQLSchema {
  const items = new Map<string, Row>(
    [
      {
        upc: "p1",
        name: "Table",
        price: 900,
        weight: 100.5,
        tags: ["wood"],
        email: "ada@x",
        dimensions: { width: 4, height: 2 },
      },
      { upc: "p2", name: "Couch", price: 1300, weight: 1000, tags: [], email: "alan@x", dimensions: null },
      {
        upc: "p3",
        name: "Chair",
        price: null,
        weight: 50,
        tags: null,
        email: "gone@x",
        dimensions: { width: 1, height: null },
      },
    ].map((row) => [row.upc, { __typename: "Product", id: `Product:${row.upc}`, ...row }]),
  );
  const service = { __typename: "Service", id: "s1", label: "Delivery", hours: 3 };
  const media = [
    { __typename: "Book", id: "m1", title: "Dune", pages: 412 },
    { __typename: "Movie", id: "m2", title: "Alien", minutes: 0 },
    { __typename: "Book", id: "m3", title: null, pages: 7 },
  ];
  const byTypename = { __resolveType: (value: Row) => value["__typename"] };
  const resolvers = {
    Query: {
      product: (_: unknown, args: { upc: string }) => items.get(args.upc) ?? null,
      products: (_: unknown, args: { first?: number }) => [...items.values()].slice(0, args.first ?? 10),
      listings: () => [
        items.get("p1"),
        service,
        null,
        { __typename: "User", email: "ada@x" },
        items.get("p3"),
        items.get("p1"),
        { ...service, id: "s2", label: "Repair" },
      ],
      media: () => media,
      shelf: () => [[items.get("p1"), items.get("p2")], null, [null, items.get("p1")]],
      version: () => "1",
    },
    Mutation: {
      createProduct: (_: unknown, args: { upc: string; name: string }) => {
        const product = { __typename: "Product", id: `Product:${args.upc}`, ...args, price: 1, weight: 1 };
        items.set(args.upc, product);
        return product;
      },
      failProduct: () => refuse("cannot make product", "CONFLICT"),
    },
    Node: byTypename,
    Media: {
      ...byTypename,
      __resolveReference: (reference: Row) => media.find((item) => item.id === reference["id"]) ?? null,
    },
    Book: { __resolveReference: (reference: Row) => media.find((item) => item.id === reference["id"]) ?? null },
    Movie: { __resolveReference: (reference: Row) => media.find((item) => item.id === reference["id"]) ?? null },
    Listing: byTypename,
    Service: {
      __resolveReference: (reference: Row) => ({ ...service, id: reference["id"] }),
      provider: () => ({ email: "alan@x" }),
    },
    User: { __resolveReference: (reference: Row) => reference },
    Product: {
      __resolveReference: (reference: { upc: string }) =>
        items.get(reference.upc) ?? refuse(`no product ${reference.upc}`, "NOT_FOUND"),
      grid: () => [[1, 2], null, [null, 3]],
      related: (product: Row) => (product["upc"] === "p1" ? [items.get("p2"), null, items.get("p3")] : []),
      seller: (product: Row) => ({ email: product["email"] }),
      strictPrice: (product: Row) => product["price"] ?? refuse("no strict price", "PRICELESS"),
    },
  };
  return buildSubgraphSchema([{ typeDefs: parse(products), resolvers: resolvers as never }]);
}
