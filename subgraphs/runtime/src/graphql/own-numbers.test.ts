import { buildSchema, type GraphQLInputType } from "graphql";
import { parseForeignJson } from "../json/kept-numbers.js";
import { ownNumbers } from "./own-numbers.js";

const schema = buildSchema(`
  scalar JSON
  scalar JSONObject
  input Node { count: Int price: Float ids: [ID!] value: JSON data: JSONObject inner: Node grid: [[Node]] }
  type Query { a: Int }
`);
const convertNode = ownNumbers(schema.getType("Node") as GraphQLInputType);

describe("the numbers of an input type", () => {
  it("are those of JavaScript, except inside of JSON", () => {
    const text =
      '{"count":1.0,"price":1E2,"ids":["a",7.0],"value":1.0,"data":{"a":1.0},"inner":{"count":2.0},"grid":[[null,{"price":-0,"value":[-0]}]]}';
    expect(JSON.stringify(convertNode(parseForeignJson(text)))).toBe(
      '{"count":1,"price":100,"ids":["a",7],"value":1.0,"data":{"a":1.0},"inner":{"count":2},"grid":[[null,{"price":0,"value":[-0]}]]}',
    );
    expect(convertNode(parseForeignJson("1.0"))).toBe(1);
  });

  it("leave a value as it is that needs no other one, without a look into its JSON", () => {
    const unread = new Proxy({}, { ownKeys: () => fail(), get: () => fail() });
    const value = { count: 1, ids: ["a"], value: unread, unknown: unread, grid: [[{ price: 1.5 }]] };
    expect(convertNode(value)).toBe(value);
    expect(convertNode(undefined)).toBeUndefined();
    expect(convertNode([1])).toEqual([1]);
  });

  it("never come from a prototype", () => {
    const value = Object.create({ count: parseForeignJson("1.0") }) as object;
    expect(convertNode(value)).toBe(value);
    expect(Object.keys(value)).toEqual([]);
  });
});

function fail(): never {
  throw new Error("The value was read");
}
