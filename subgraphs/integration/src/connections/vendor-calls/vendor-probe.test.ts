import { hasExpected } from "./vendor-probe.js";

const isFound = (value: string, equals: string, body: string) => hasExpected({ value, equals }, Buffer.from(body));

it("the answer to a probe has the expected value or not", () => {
  expect(isFound("body:/ok", "true", '{"ok":true}')).toBe(true);
  expect(isFound("body:/ok", "true", '{"ok":"true"}')).toBe(true);
  expect(isFound("body:/a/b~1c/0", "7", '{"a":{"b/c":[7]}}')).toBe(true);
});

it.each([
  ["another value", "body:/ok", '{"ok":false,"error":"invalid_auth"}'],
  ["no value", "body:/ok", "{}"],
  ["an object", "body:/ok", '{"ok":{"true":true}}'],
  ["an inherited member", "body:/constructor/name", "{}"],
  ["null", "body:/ok", "null"],
  ["no JSON", "body:/ok", "<html>true</html>"],
  ["an empty body", "body:/ok", ""],
])("the answer to a probe with %s is not the expected one", (_, path, body) => {
  expect(isFound(path, "true", body)).toBe(false);
});
