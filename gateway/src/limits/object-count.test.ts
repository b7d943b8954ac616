import { buildSchema, parse } from "graphql";
import { objectLimits, objectsProblem } from "./object-count.js";

const schema = buildSchema(`
  interface Node { id: ID! }
  type Query { template: Template templates(first: Int): TemplateConnection nodes(ids: [ID!]!): [Node] connection: Connection }
  type TemplateConnection { items: [Template!]! edges: [TemplateEdge!]! }
  type TemplateEdge { node: Template! }
  type Template implements Node { id: ID! allVersions: [Version!]! versions(first: Int, last: Int): VersionConnection! tags: [String!]! }
  type VersionConnection { items: [Version!]! }
  type Version implements Node { id: ID! template: Template! findings: [Finding!]! }
  type Finding { text: String! }
  type Connection implements Node { id: ID! runs(first: Int): [Version!]! }`);

const problem = (text: string) => objectsProblem(parse(text), schema)?.detail;

describe("the objects that a document asks for", () => {
  it.each([
    ["one object and its values", "{ template { id tags } }"],
    [
      "a page of pages",
      "{ templates(first: 200) { items { id versions(first: 200) { items { id findings { text } } } } } }",
    ],
    ["all versions of one template", "{ template { allVersions { id findings { text } } } }"],
    ["all versions in a page", "query ($n: Int) { templates(first: $n) { edges { node { allVersions { id } } } } }"],
    ["a list in an entity that is called Connection", "{ connection { runs(first: 200) { id } } }"],
    [
      "a list with a length that is not given, in a list of the same kind",
      "{ templates { items { versions { items { findings { text } } } } } connection { runs { template { allVersions { id } } } } }",
    ],
    ["all versions of two nodes", '{ nodes(ids: ["a", "b"]) { ... on Template { allVersions { id } } } }'],
    ["a field that does not exist", "{ template { unknown { allVersions { id } } } }"],
  ])("are few enough: %s", (_, text) => {
    expect(problem(text)).toBeUndefined();
  });

  const cycle = (levels: number, way: string, end: string) =>
    `{ template { ${`${way} { template { `.repeat(levels)} ${end} ${"} }".repeat(levels)} } }`;

  it.each([
    ["all versions over and over", cycle(2, "allVersions", "id")],
    [
      "default pages over and over",
      `{ template { ${"versions { items { template { ".repeat(4)} id ${"} } }".repeat(4)} } }`,
    ],
    [
      "pages of unknown length",
      "query ($n: Int) { templates(first: $n) { items { versions(last: $n) { items { template { versions(first: $n) { items { id } } } } } } } }",
    ],
    [
      "fragments inside fragments",
      `{ template { ...a } } fragment a on Template { allVersions { template { ...b } } }
      fragment b on Template { allVersions { id } }`,
    ],
    [
      "all versions of versions of nodes",
      "query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Template { allVersions { template { versions { items { id } } } } } } }",
    ],
  ])("are too many: %s", (_, text) => {
    expect(problem(text)).toContain(`at most ${objectLimits.maxObjects} are allowed`);
  });

  it("are counted once for fragments that form a cycle, which validation refuses", () => {
    const text = "{ template { ...a } } fragment a on Template { allVersions { template { ...a } } }";
    expect(problem(text)).toBeUndefined();
  });
});
