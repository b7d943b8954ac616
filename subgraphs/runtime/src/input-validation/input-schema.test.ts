import { buildSchema, type GraphQLInputObjectType } from "graphql";
import { constraintDirective } from "./constraint.js";
import { inputSchema } from "./input-schema.js";
import { inputValidator } from "./input-validator.js";

const schema = buildSchema(`
  ${constraintDirective}
  input Named {
    """Lower-case letters, e.g. acme."""
    slug: String @constraint(pattern: "^[a-z]+$")
    name: String @constraint(pattern: "\\\\S")
    url: String @constraint(format: "iri")
  }
  enum Colour { Red Green }
  input Paint { colour: Colour colours: [Colour!] wanted: Colour! }
`);
const check = inputValidator(inputSchema(schema.getType("Paint") as GraphQLInputObjectType));

describe("a member of an enum", () => {
  it("may be null where it may be absent", () => {
    expect(check({ colour: null, colours: null, wanted: "Red" })).toEqual([]);
    const [problem, ...others] = check({ colour: "Green", wanted: null });
    expect([problem?.pointer, others.every(({ pointer }) => pointer === "/wanted")]).toEqual(["/wanted", true]);
  });

  it("is told its type only where that is wrong", () => {
    expect(check({ colour: 7, wanted: "Red" })).toEqual([
      { pointer: "/colour", code: "TYPE", detail: "Must be of type string or null." },
    ]);
  });

  it("is told which values there are", () => {
    expect(check({ colour: "Blue", colours: ["Blue"], wanted: "Red" })).toEqual(
      ["/colour", "/colours/0"].map((pointer) => ({
        pointer,
        code: "UNKNOWN_VALUE",
        detail: "Must be one of Red, Green.",
      })),
    );
  });
});

describe("a text of another form", () => {
  it("is told the form in words, not as a regular expression", () => {
    const problems = inputValidator(inputSchema(schema.getType("Named") as GraphQLInputObjectType))({
      slug: "Acme 1",
      name: " ",
      url: "there",
    });
    expect(problems.map(({ detail }) => detail)).toEqual([
      "The value does not match the description of this member: Lower-case letters, e.g. acme.",
      "Must not be blank.",
      "Must be an absolute URL.",
    ]);
  });
});
