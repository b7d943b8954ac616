import { buildSubgraphSchema } from "@apollo/subgraph";
import { type GraphQLSchema, parse } from "graphql";
import type { Channel } from "./channel.fixture.js";
import { link, type Row, refuse } from "./words.fixture.js";

export const reviews = `${link}
type Query { topReviews(first: Int = 3): [Review!]  review(id: ID!): Review  version: String! @shareable }
type Mutation { addReview(userId: ID!, body: String!): Review! }
type Subscription { reviewAdded: Review! }
type Review @key(fields: "id") {
  id: ID!
  body: String
  stars: Int
  author: User @provides(fields: "name")
  subject: Listing
  product: Product
}
union Listing = Product | Service
type Service @key(fields: "id") { id: ID! rating: Float strictRating: Float! }
type Media @interfaceObject @key(fields: "id") { id: ID! score: Int reviewedBy: User }
type User @key(fields: "id") {
  id: ID!
  name: String @external
  reviews(first: Int): [Review!]
  reviewCount: Int!
  failingReviews: [Review!]
  address: Address @shareable
  birthYear: Int @external
  age: Int @requires(fields: "birthYear")
}
type Address @shareable { city: City region: String }
type City @shareable { name: String! }
type Dimensions { width: Int @external height: Int @external }
type Product @key(fields: "upc") {
  upc: ID!
  price: Int @external
  weight: Float @external
  dimensions: Dimensions @external
  reviews: [Review!]!
  shipping: Int @requires(fields: "price weight")
  area: Int @requires(fields: "dimensions { width height }")
  strictReviews: [Review!]!
}`;

export function reviewsSchema(additions: Channel<Row>): GraphQLSchema {
  const product = (upc: string) => ({ __typename: "Product", upc });
  const all: Row[] = [
    { id: "r1", body: "Love it", stars: 5, userId: "1", upc: "p1" },
    { id: "r2", body: "Too soft", stars: 2, userId: "2", upc: "p2" },
    { id: "r3", body: null, stars: null, userId: "1", upc: "p1" },
    { id: "r4", body: "Missing", stars: 1, userId: "9", upc: "p9" },
  ];
  const namesKnownHere: Record<string, string | null> = { "1": "Ada", "2": "Alan", "3": null };
  const author = (userId: unknown) => ({ id: userId, name: namesKnownHere[String(userId)] ?? null });
  const resolvers = {
    Query: {
      topReviews: (_: unknown, args: { first: number }) => all.slice(0, args.first),
      review: (_: unknown, args: { id: string }) => all.find((review) => review["id"] === args.id) ?? null,
      version: () => "1",
    },
    Mutation: {
      addReview: async (_: unknown, args: { userId: string; body: string }) => {
        const review = { id: `r${all.length + 1}`, body: args.body, stars: null, userId: args.userId, upc: "p1" };
        all.push(review);
        return review;
      },
    },
    Subscription: { reviewAdded: { subscribe: () => additions.open(), resolve: (event: Row) => event } },
    Listing: { __resolveType: (value: Row) => value["__typename"] },
    Review: {
      __resolveReference: (reference: Row) => all.find((review) => review["id"] === reference["id"]) ?? null,
      author: (review: Row) => (review["userId"] === undefined ? null : author(review["userId"])),
      product: (review: Row) => product(String(review["upc"])),
      subject: (review: Row) =>
        review["stars"] === 2 ? { __typename: "Service", id: "s1" } : product(String(review["upc"])),
    },
    Service: {
      __resolveReference: (reference: Row) => reference,
      rating: (service: Row) => (service["id"] === "s2" ? refuse("no rating of s2", "UNRATED") : 4.5),
      strictRating: (service: Row) => (service["id"] === "s2" ? refuse("no rating of s2", "UNRATED") : 4.5),
    },
    Media: {
      __resolveReference: (reference: Row) => reference,
      score: (media: Row) => (media["id"] === "m2" ? 0 : 9),
      reviewedBy: () => ({ id: "2" }),
    },
    User: {
      __resolveReference: (reference: Row) => reference,
      reviews: async (user: Row, args: { first?: number }) =>
        all.filter((review) => review["userId"] === user["id"]).slice(0, args.first ?? 10),
      reviewCount: (user: Row) => {
        const count = all.filter((review) => review["userId"] === user["id"]).length;
        return count > 0 ? count : refuse(`no reviews by ${String(user["id"])}`, "NO_REVIEWS");
      },
      failingReviews: (user: Row) => refuse(`reviews of ${String(user["id"])} fail`),
      address: () => ({ city: { name: "London" }, region: "South" }),
      age: (user: Row) => (typeof user["birthYear"] === "number" ? 2000 - user["birthYear"] : null),
    },
    Product: {
      __resolveReference: (reference: Row) => reference,
      reviews: (parent: Row) => all.filter((review) => review["upc"] === parent["upc"]),
      shipping: (parent: Row) =>
        parent["price"] === null ? null : Math.round(Number(parent["price"]) * 0.1 + Number(parent["weight"])),
      area: (parent: Row) => {
        const size = parent["dimensions"] as { width: number; height: number } | null;
        return size ? size.width * size.height : null;
      },
      strictReviews: (parent: Row) => refuse(`no strict reviews of ${String(parent["upc"])}`, "STRICT"),
    },
  };
  return buildSubgraphSchema([{ typeDefs: parse(reviews), resolvers: resolvers as never }]);
}
