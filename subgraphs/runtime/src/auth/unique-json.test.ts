import { parseUniqueJson } from "./unique-json.js";

test.each([
  '{"a":1,"a":2}',
  '{"a":{"b":1,"c":[],"b":2}}',
  '[{"a":1},{"b":1,"b":1}]',
  '{"a":1,"\\u0061":2}',
  '{"a" : 1, "a"\n:\t2}',
  '{"a":{"a":1},"a":2}',
  '{"__proto__":1,"__proto__":2}',
  '{"\\"":1,"\\u0022":2}',
])("refuses a repeated member: %s", (text) => {
  expect(() => parseUniqueJson(text)).toThrow("occurs twice");
});

test.each([
  '{"a":"a","b":"a"}',
  '{"a":{"a":{"a":1}}}',
  '[{"a":1},{"a":1}]',
  '{"a":"{\\"b\\":1,\\"b\\":2}"}',
  '{"a":["a","a"],"b":"a:"}',
  '{"a":"]}","b":[]}',
  '"a"',
])("reads what repeats nothing: %s", (text) => {
  expect(parseUniqueJson(text)).toEqual(JSON.parse(text));
});

test("refuses text that is not JSON", () => {
  expect(() => parseUniqueJson('{"a":1}x')).toThrow(SyntaxError);
});
