import { answerToTest } from "./url-test.js";

const request = (method: string, query: string, headers: Record<string, string[]> = {}) => ({
  method,
  headers: new Map(Object.entries(headers)),
  url: `https://platform.example/webhooks/deliveries/vendor?subscription=whs_1${query}`,
});
const echo = { method: "GET", answer: "query:challenge" } as const;
const tooLong = expect.objectContaining({ code: "VALIDATION_FAILED" });

it("echoes a value that occurs once, and nothing for another method or condition", () => {
  const plain = { challenge: "a b", mediaType: "text/plain" };
  expect(answerToTest([echo], request("GET", "&challenge=a+b"))).toEqual(plain);
  for (const [method, query] of [
    ["HEAD", "&challenge=a"],
    ["POST", "&challenge=a"],
    ["GET", ""],
    ["GET", "&challenge="],
    ["GET", "&challenge=a&challenge=b"],
  ] as const)
    expect(answerToTest([echo], request(method, query))).toBeUndefined();
  const conditional = { ...echo, when: "query:mode", equals: "subscribe" };
  expect(answerToTest([conditional], request("GET", "&challenge=a&mode=other"))).toBeUndefined();
  expect(answerToTest([conditional], request("GET", "&challenge=a+b&mode=subscribe"))).toEqual(plain);
});

it("echoes at most 1 KiB, counted in bytes", () => {
  const by = (value: string) => answerToTest([echo], request("GET", `&challenge=${encodeURIComponent(value)}`));
  expect(by("é".repeat(512))?.challenge).toHaveLength(512);
  for (const value of ["é".repeat(513), "x".repeat(1025)]) expect(() => by(value)).toThrow(tooLong);
});

it("puts a value of a header into a member of JSON, whatever its characters are", () => {
  const test = { method: "GET", answer: "header:x-challenge", member: "verification" } as const;
  const value = '"},{"a":"\u2028';
  const answer = answerToTest([test], request("GET", "", { "x-challenge": [value] }));
  expect(answer?.mediaType).toBe("application/json");
  expect(JSON.parse(answer?.challenge ?? "")).toEqual({ verification: value });
  expect(answerToTest([test], request("GET", "", { "x-challenge": ["a", "b"] }))).toBeUndefined();
});

it("takes the first test that fits, also one without a value", () => {
  const tests = [{ method: "HEAD" }, echo, { method: "GET" }] as const;
  expect(answerToTest(tests, request("HEAD", ""))?.challenge).toBe("");
  expect(answerToTest(tests, request("GET", "&challenge=a"))?.challenge).toBe("a");
  expect(answerToTest(tests, request("GET", ""))?.challenge).toBe("");
});
