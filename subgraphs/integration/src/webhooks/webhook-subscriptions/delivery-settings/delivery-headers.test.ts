import { headerProblems, sentHeaders } from "./delivery-headers.js";

test("ordinary headers are accepted and sent with names in lower case", () => {
  const headers = { "X-Environment": "production", "x-team": "a b" };
  expect(headerProblems(headers, "/input/headers")).toEqual([]);
  expect(sentHeaders(headers)).toEqual({ "x-environment": "production", "x-team": "a b" });
});

test.each([
  "Host",
  "content-length",
  "Content-Type",
  "transfer-encoding",
  "connection",
  "TE",
  "User-Agent",
  "webhook-id",
  "Webhook-Signature",
  "svc-schema-version",
  "traceparent",
  "proxy-authorization",
  "x-forwarded-for",
  "authorization",
  "cookie",
  "X-Api-Key",
  "x-access-token",
  "x name",
  "x\nname",
  "",
  "x".repeat(101),
  "__proto__:",
])("the name %j is refused", (name) => {
  expect(headerProblems({ [name]: "value" }, "/input/headers")).toMatchObject([{ code: "FORMAT" }]);
});

test.each([
  ["a line break", "a\r\nhost: b", "FORMAT"],
  ["a space at its end", "a ", "FORMAT"],
  ["an umlaut", "ä", "FORMAT"],
  ["nothing", "", "FORMAT"],
  ["a number", 1, "TYPE"],
  ["1,025 characters", "x".repeat(1025), "TOO_LONG"],
])("a value with %s is refused", (_, value, code) => {
  expect(headerProblems({ "x-one": value }, "/input/headers")).toMatchObject([
    { pointer: "/input/headers/x-one", code },
  ]);
});

test("too many headers, too much text and a name in two spellings are refused", () => {
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, place) => [`x-${place}`, "a"]));
  expect(headerProblems(many, "/h")).toMatchObject([{ pointer: "/h", code: "TOO_LONG" }]);
  const long = Object.fromEntries(Array.from({ length: 9 }, (_, place) => [`x-${place}`, "a".repeat(1000)]));
  expect(headerProblems(long, "/h")).toMatchObject([{ pointer: "/h", code: "TOO_LONG" }]);
  expect(headerProblems({ "x-one": "a", "X-One": "b" }, "/h")).toMatchObject([{ pointer: "/h/X-One" }]);
});
