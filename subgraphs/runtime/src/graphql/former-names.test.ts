import { buildSchema, graphqlSync, isObjectType } from "graphql";
import { addFormerNames } from "./former-names.js";

const schema = () => buildSchema("type Query { present(size: Int): String } type Note { text: String }");

describe("a former name", () => {
  it("is a deprecated field with the arguments and the resolver of the present one", () => {
    const renamed = schema();
    addFormerNames(renamed, { "Query.present": "former", "Note.text": "body" });
    const answer = graphqlSync({
      schema: renamed,
      source: "{ present(size: 1) former(size: 2) }",
      rootValue: { present: ({ size }: { size: number }) => `present ${size}`, former: () => "its own" },
    });
    expect(answer.errors).toBeUndefined();
    const note = renamed.getType("Note");
    const { former } = renamed.getQueryType()?.getFields() ?? {};
    expect(former).toMatchObject({ deprecationReason: "Use `present`.", description: "As `present`." });
    expect(former?.args.map(({ name }) => name)).toEqual(["size"]);
    expect(isObjectType(note) && Object.keys(note.getFields())).toEqual(["text", "body"]);
  });

  it("is refused where the present field is missing, or the former name is taken", () => {
    expect(() => addFormerNames(schema(), { "Query.missing": "former" })).toThrow("Query.missing");
    expect(() => addFormerNames(schema(), { "Query.present": "present" })).toThrow("cannot have the former name");
  });
});
