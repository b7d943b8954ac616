import { composed } from "../requirements/composed.fixture.js";

const { run } = composed({
  catalog: [
    `type Query { node: Node hall: Hall version: String! thing: Thing }
     interface Node @key(fields: "id") { id: ID! }
     type Hall { name: String node: Node }
     union Thing = Lamp
     type Lamp { watts: Int }`,
    {
      Query: {
        node: () => ({ id: "n1" }),
        hall: () => ({ name: "north", node: { id: "n2" } }),
        version: () => "1",
        thing: () => ({ __typename: "Lamp", watts: 40 }),
      },
    },
  ],
  search: [
    `type Query { found: Node }
     type Node @interfaceObject @key(fields: "id", resolvable: false) { id: ID! score: Int }`,
    { Query: { found: () => ({ id: "n1", score: 9 }) } },
  ],
});

describe("a field of an interface that no object type implements", () => {
  it("is an error, not null, where the whole operation asks for nothing else", async () => {
    const { data, errors } = await run("{ node { score } }");
    expect(data).toBeNull();
    expect(errors).toMatchObject([{ path: ["node"], extensions: { code: "INVALID_GRAPHQL" } }]);
  });

  it("is an error at its place beside fields that are served", async () => {
    expect(await run("{ version n: node { score } hall { name node { score } } }")).toMatchObject({
      data: { version: "1", n: null, hall: { name: "north", node: null } },
      errors: [{ path: ["n"] }, { path: ["hall", "node"] }],
    });
  });

  it("is served by the subgraph where it is an interface object", async () => {
    expect(await run("{ found { id score } }")).toEqual({ data: { found: { id: "n1", score: 9 } } });
  });
});

it("operations that need no fetch answer as ever", async () => {
  expect(await run("{ __typename }")).toEqual({ data: { __typename: "Query" } });
  expect(await run("{ version @skip(if: true) }")).toEqual({ data: {} });
  expect(await run("query ($no: Boolean!) { node @include(if: $no) { score } }", { no: false })).toEqual({ data: {} });
  expect(await run(`{ __type(name: "Hall") { name } }`)).toEqual({ data: { __type: { name: "Hall" } } });
});
