import { DomainError } from "@factory/runtime/errors/domain-error";
import { readJson } from "./read-json.js";

describe("a body that is not JSON", () => {
  it.each([
    ['{"name": "a", category: "b"}', "The body is not JSON: see line 1, column 15."],
    ['{"name":\n  "a",}', "The body is not JSON: see line 2, column 7."],
    ['{"name": "a', "The body is not JSON: the text ends too early."],
    ["[1,", "The body is not JSON: the text ends too early."],
    ["(line 1 column 2)", "The body is not JSON."],
    ["name=a", "The body is not JSON."],
  ])("is refused with the place, if the parser reports it: %s", (body, detail) => {
    expect(() => readJson(Buffer.from(body))).toThrow(new DomainError("MALFORMED_JSON", { detail }));
  });
});
