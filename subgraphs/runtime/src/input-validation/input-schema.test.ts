import { buildSchema, type GraphQLInputObjectType } from "graphql";
import { inputSchema } from "./input-schema.js";
import { inputValidator } from "./input-validator.js";

const schema = buildSchema(`
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
