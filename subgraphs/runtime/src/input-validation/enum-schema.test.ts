import { buildSchema, type GraphQLEnumType } from "graphql";
import { enumSchema } from "./enum-schema.js";

describe("enumSchema", () => {
  const schema = buildSchema(
    'enum Status { "It works." Active Archived } enum Bare { One } type Query { status: Status }',
  );

  it("lists the values, with the descriptions that they have", () => {
    expect(enumSchema(schema.getType("Status") as GraphQLEnumType)).toEqual({
      type: "string",
      enum: ["Active", "Archived"],
      "x-enum-descriptions": { Active: "It works." },
    });
    expect(enumSchema(schema.getType("Bare") as GraphQLEnumType)).toEqual({ type: "string", enum: ["One"] });
  });
});
