import { keepingLogger } from "@factory/runtime/telemetry/logged-lines.fixture";
import { buildSchema, type GraphQLInputType } from "graphql";
import { startWith } from "../facade.fixture.js";
import { unknownMembers } from "./unknown-members.js";

const graph = buildSchema(`
  type Query { a: Int }
  input Book { title: String!, chapters: [Chapter!], notes: JSON }
  input Chapter { title: String }
  scalar JSON
`);
const book = graph.getType("Book") as GraphQLInputType;

describe("members that an input type does not have", () => {
  it.each([
    ["none", { title: "a", notes: { any: 1 } }, []],
    ["a typing error", { titl: "a" }, ['"titl" is not a member of Book. Did you mean "title"?']],
    ["a name like no other", { weight: 1 }, ['"weight" is not a member of Book.']],
    [
      "one in each item of a list",
      { title: "a", chapters: [{ titl: "b" }, { titl: "c" }] },
      ['"titl" is not a member of Chapter. Did you mean "title"?'],
    ],
    ["a name of every object", { title: "a", toString: 1 }, ['"toString" is not a member of Book.']],
    ["no object", [1], []],
  ])("are named: %s", (_, body, sentences) => {
    expect(unknownMembers(body, book)).toEqual(sentences);
  });

  it("are at most 20", () => {
    const body = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`x${at}`, at]));
    expect(unknownMembers(body, book)).toHaveLength(20);
  });
});

describe("the log of a request with an unknown member", () => {
  const body = { name: "a", titel: "b" };

  it.each([
    [true, ['"titel" is not a member of RegisterTemplateInput.']],
    [false, undefined],
  ])("names it in development: %s", async (development, unknown) => {
    const lines: string[] = [];
    const resolvers = {
      registerTemplate: () => ({ templateId: "tpl_1", name: "a", status: "Active", createdAt: new Date() }),
    };
    const facade = await startWith(resolvers, { development, logger: keepingLogger(lines) });
    try {
      const { status } = await facade.call("POST /v1/templates", { body });
      const told = lines.map((line) => JSON.parse(line)).find((line) => line.unknownMembers);
      expect([status, told?.unknownMembers]).toEqual([201, unknown]);
    } finally {
      await facade.close();
    }
  });
});
