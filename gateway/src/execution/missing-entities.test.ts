import { composed } from "../requirements/composed.fixture.js";

const { run } = composed({
  orders: [
    `type Query { orders: [Order!]! strict: Strict! }
     type Order { customer: Customer place: Place }
     type Strict { customer: Customer! }
     type Customer @key(fields: "id", resolvable: false) { id: ID! }
     type Place @key(fields: "id") { id: ID! shelf: Int }`,
    {
      Query: {
        orders: () => ["1", "gone", "refused"].map((id) => ({ customer: { id }, place: { id, shelf: 7 } })),
        strict: () => ({ customer: { id: "gone" } }),
      },
    },
  ],
  people: [
    `type Query { version: Int }
     type Customer @key(fields: "id") { id: ID! name: String friends: [Customer!] }
     type Place @key(fields: "id") { id: ID! keeper: String }`,
    {
      Customer: {
        async __resolveReference({ id }: { id: string }) {
          if (id === "refused") throw new Error("no scope");
          return id === "gone" ? null : { id, name: "Ada" };
        },
      },
      Place: { __resolveReference: ({ id }: { id: string }) => (id === "gone" ? null : { id, keeper: "Bob" }) },
    },
  ],
});

describe("an object that its only subgraph does not return", () => {
  it("is null, also where all of its fields could be null, with an error if there is one", async () => {
    expect(await run("{ orders { customer { id name } } }")).toMatchObject({
      data: { orders: [{ customer: { id: "1", name: "Ada" } }, { customer: null }, { customer: null }] },
      errors: [{ path: ["orders", 2, "customer"], message: expect.stringContaining("no scope") }],
    });
  });

  it("takes its parent away where it must not be null", async () => {
    const { data } = await run("{ strict { customer { name } } }");
    expect(data).toBeNull();
  });

  it("is its key where nothing else is selected, because nobody asks its subgraph", async () => {
    expect(await run("{ orders { customer { id } } }")).toEqual({
      data: { orders: ["1", "gone", "refused"].map((id) => ({ customer: { id } })) },
    });
  });
});

describe("an object of which another subgraph has fields of its own", () => {
  it("keeps them, and lacks those of the subgraph that does not return it", async () => {
    expect(await run("{ orders { place { shelf keeper } } }")).toEqual({
      data: {
        orders: [
          { place: { shelf: 7, keeper: "Bob" } },
          { place: { shelf: 7, keeper: null } },
          { place: { shelf: 7, keeper: "Bob" } },
        ],
      },
    });
  });
});
