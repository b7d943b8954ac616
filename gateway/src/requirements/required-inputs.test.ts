import { printSchema } from "graphql";
import { composed } from "./composed.fixture.js";

interface Article {
  readonly notes?: readonly { readonly writer: string }[];
  readonly price?: number;
  readonly weight?: number;
  readonly group?: { readonly mean: number };
}

const rates: Readonly<Record<string, number>> = { USD: 1, EUR: 2, JPY: 100 };
const articles = [
  { sku: "s1", weight: 3, cents: 10, mean: 7 },
  { sku: "s2", weight: 5, cents: 20, mean: 13 },
];
const writers = ["ann", "bob", "cyd", "dan"];

/** `freight` prices articles from `stock`; what it needs depends on arguments. */
const shop = composed({
  stock: [
    `type Query { articles: [Article!]! listed: [Listed!]! }
     interface Listed { sku: ID! price(currency: String!): Int }
     type Article implements Listed @key(fields: "sku") {
       sku: ID! weight: Int price(currency: String!): Int group: Group notes(first: Int!): [Note!]!
     }
     type Group { mean(currency: String!): Int }
     type Note @key(fields: "id") { id: ID! }`,
    {
      Query: { articles: () => articles, listed: () => articles.map((each) => ({ __typename: "Article", ...each })) },
      Article: {
        __resolveReference: ({ sku }: { sku: string }) => articles.find((each) => each.sku === sku),
        price: ({ cents }: { cents: number }, { currency }: { currency: string }) => {
          if (currency === "NONE") throw new Error("No such currency");
          return cents * (rates[currency] ?? 0);
        },
        group: (article: object) => article,
        notes: ({ sku }: { sku: string }, { first }: { first: number }) =>
          writers.slice(0, first).map((_, index) => ({ id: `${sku}-${index}` })),
      },
      Group: {
        mean: ({ mean }: { mean: number }, { currency }: { currency: string }) => mean * (rates[currency] ?? 0),
      },
    },
  ],
  notes: [
    `type Note @key(fields: "id") { id: ID! writer: String! }`,
    {
      Note: {
        __resolveReference: ({ id }: { id: string }) => ({ id }),
        writer: ({ id }: { id: string }) => writers[Number(id.split("-")[1])],
      },
    },
  ],
  freight: [
    `type Article @key(fields: "sku") {
       sku: ID!
       weight: Int @external
       price(currency: String!): Int @external
       group: Group @external
       notes(first: Int!): [Note!]! @external
       dollars: Int @requires(fields: "price(currency: \\"USD\\") weight")
       euros: Int @requires(fields: "price(currency: \\"EUR\\") weight")
       sameDollars: Int @requires(fields: "price(currency: \\"USD\\")")
       broken: Int @requires(fields: "price(currency: \\"NONE\\")")
       isDear: Boolean @requires(fields: "group { mean(currency: \\"USD\\") }")
       isDearInYen: Boolean @requires(fields: "group { mean(currency: \\"JPY\\") }")
       thirdWriter: String @requires(fields: "notes(first: 3) { writer }")
       label: String
     }
     type Group @external { mean(currency: String!): Int }
     type Note @key(fields: "id") { id: ID! writer: String! @external }`,
    {
      Article: {
        __resolveReference: (reference: object) => reference,
        dollars: ({ price = NaN, weight = NaN }: Article) => price * weight,
        euros: ({ price = NaN, weight = NaN }: Article) => price * weight,
        sameDollars: ({ price }: Article) => price,
        broken: ({ price }: Article) => price,
        isDear: ({ group }: Article) => (group?.mean ?? NaN) > 10,
        isDearInYen: ({ group }: Article) => (group?.mean ?? NaN) > 1000,
        thirdWriter: ({ notes }: Article) => (notes?.length === 3 ? notes[2]?.writer : `of ${notes?.length}`),
        label: () => "labelled",
      },
    },
  ],
});

const first = async (fields: string, variables?: Record<string, unknown>, header = "query") => {
  const { data, errors } = await shop.run(`${header} { articles { ${fields} } }`, variables);
  expect(errors).toBeUndefined();
  return (data as { articles: unknown[] } | undefined)?.articles[0];
};

describe("fields with arguments inside @requires", () => {
  it("are not taken from a client's field of the same name with other arguments", async () => {
    expect(await first(`dollars price(currency: "JPY")`)).toEqual({ dollars: 30, price: 1000 });
    expect(await first(`price(currency: "JPY") dollars`)).toEqual({ dollars: 30, price: 1000 });
    expect(await first(`thirdWriter notes(first: 1) { id }`)).toEqual({ thirdWriter: "cyd", notes: [{ id: "s1-0" }] });
    expect(await first(`notes(first: 4) { writer } thirdWriter`)).toEqual({
      notes: writers.map((writer) => ({ writer })),
      thirdWriter: "cyd",
    });
  });

  it("do not change a client's field under another key", async () => {
    expect(await first(`p: price(currency: "JPY") price(currency: "EUR") dollars`)).toEqual({
      p: 1000,
      price: 20,
      dollars: 30,
    });
  });

  it("leave arguments that come from variables alone", async () => {
    const header = `query ($n: Int! = 1, $c: String!)`;
    expect(
      await first(`notes(first: $n) { id } thirdWriter dollars price(currency: $c)`, { c: "EUR" }, header),
    ).toEqual({
      notes: [{ id: "s1-0" }],
      thirdWriter: "cyd",
      dollars: 30,
      price: 20,
    });
  });

  it("may differ between fields of one subgraph, at the top and further down", async () => {
    expect(await first("dollars euros sameDollars label isDear isDearInYen")).toEqual({
      dollars: 30,
      euros: 60,
      sameDollars: 10,
      label: "labelled",
      isDear: false,
      isDearInYen: false,
    });
    const { data } = await shop.run("{ articles { euros dollars isDearInYen isDear } }");
    expect(data).toEqual({
      articles: [
        { euros: 60, dollars: 30, isDearInYen: false, isDear: false },
        { euros: 200, dollars: 100, isDearInYen: true, isDear: true },
      ],
    });
  });

  it("are asked once where the arguments are the same", async () => {
    shop.prepared.length = 0;
    await shop.run("{ articles { dollars sameDollars } }");
    expect(shop.prepared.filter(({ subgraph }) => subgraph === "freight")).toHaveLength(1);
    expect(shop.prepared[0]?.operation.match(/price\(/g)).toHaveLength(1);
  });

  it("are served behind an interface", async () => {
    const { data } = await shop.run(`{ listed { price(currency: "JPY") ... on Article { dollars } } }`);
    expect(data).toMatchObject({
      listed: [
        { price: 1000, dollars: 30 },
        { price: 2000, dollars: 100 },
      ],
    });
  });

  it("are named as the subgraph names them when they fail", async () => {
    const { data, errors } = await shop.run("{ articles { sku broken } }");
    expect(data).toMatchObject({ articles: [{ sku: "s1", broken: null }, { sku: "s2" }] });
    expect(errors?.map(({ path }) => path)).toEqual([
      ["articles", 0, "price"],
      ["articles", 1, "price"],
    ]);
  });

  it("are not seen by clients, whose aliases may have the same names", async () => {
    expect(printSchema(shop.executor.apiSchema)).not.toContain("_required_");
    expect(await first("price_required_1: sku dollars")).toEqual({ price_required_1: "s1", dollars: 30 });
  });
});

describe("an entity with several keys", () => {
  it("goes back to its subgraph by a key that the subgraph resolves", async () => {
    const place = { shelf: "A", bin: "4", slot: "9" };
    const keys = (ownResolvable: string, joint: string) =>
      `@key(fields: "place { shelf bin }", resolvable: false) @key(fields: "id place { bin slot }", resolvable: ${joint})
       @key(fields: "id", resolvable: ${ownResolvable})`;
    const references: unknown[] = [];
    const { run } = composed({
      names: [
        `type Part ${keys("true", "false")} { id: ID! place: Place! name: String! }
         type Place { shelf: ID! bin: ID! slot: ID! }`,
        { Part: { __resolveReference: ({ id }: { id: string }) => ({ id, place, name: `part ${id}` }) } },
      ],
      store: [
        `type Query { parts: [Part!]! }
         type Part ${keys("false", "true")} { id: ID! place: Place! name: String! @external tag: String! @requires(fields: "name") }
         type Place { shelf: ID! bin: ID! slot: ID! }`,
        {
          Query: { parts: () => [{ id: "1", place }] },
          Part: {
            __resolveReference: (reference: object) => references.push(reference) && reference,
            tag: ({ id, name }: { id: string; name: string }) => `${id}: ${name}`,
          },
        },
      ],
    });
    expect(await run("{ parts { tag } }")).toEqual({ data: { parts: [{ tag: "1: part 1" }] } });
    expect(references).toEqual([{ __typename: "Part", id: "1", place: { bin: "4", slot: "9" }, name: "part 1" }]);
  });

  it("whose key comes back null is an error at its place, and the others are served", async () => {
    const { run } = composed({
      store: [
        `type Query { parts: [Part] } type Part @key(fields: "id") { id: ID weight: Int }`,
        {
          Query: {
            parts: () => [
              { id: "1", weight: 4 },
              { id: null, weight: 5 },
            ],
          },
        },
      ],
      names: [
        `type Part @key(fields: "id") { id: ID name: String }`,
        { Part: { __resolveReference: ({ id }: { id: string }) => ({ id, name: `part ${id}` }) } },
      ],
    });
    const { data, errors } = await run("{ parts { weight name } }");
    expect(data).toEqual({
      parts: [
        { weight: 4, name: "part 1" },
        { weight: 5, name: null },
      ],
    });
    expect(errors).toMatchObject([{ path: ["parts", 1], extensions: { serviceName: "names" } }]);
  });
});
