import { readFile } from "node:fs/promises";
import { buildSchema, isInputObjectType } from "graphql";
import { membersOf, readNames, unreadMembers } from "./input-members.js";
import { root } from "./tracked-files.js";

describe("the members of inputs", () => {
  it("are all read, since a member without effect is accepted in vain", async () => {
    const { members, unread } = await unreadMembers();
    expect(unread).toEqual([]);
    const schema = buildSchema(await readFile(`${root}schema/supergraph.graphql`, "utf8"), { assumeValidSDL: true });
    const inputs = Object.values(schema.getTypeMap()).filter(isInputObjectType);
    const memberNames = new Set(members.map(({ name }) => name));
    const missingMembers = inputs.flatMap((type) =>
      Object.keys(type.getFields()).flatMap((name) => (memberNames.has(name) ? [] : [`${type.name}.${name}`])),
    );
    expect(missingMembers).toEqual([]);
  });

  it("are found where no file reads them", () => {
    const source = "@InputType()\nclass OrderInput {\n  @Field() name: string;\n  @Field() color?: string;\n}";
    const reader = "const of = ({ name }: OrderInput) => name; other.color = 1; const made = { color: 2 };";
    const names = readNames("reader.ts", reader.replace("other.color = 1;", ""));
    const unread = membersOf("order.input.ts", source).filter(({ name }) => !names.has(name));
    expect(unread).toEqual([{ file: "order.input.ts", type: "OrderInput", name: "color" }]);
  });
});
