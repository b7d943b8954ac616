import { headerFrom, tokenFrom } from "./connection-parameters.js";

describe("the token in connection_init", () => {
  it.each([
    ["a member", { authorization: "Bearer abc" }],
    ["a member in capitals", { Authorization: "bearer abc" }],
    ["without its scheme", { authorization: "abc" }],
    ["one of its headers", { headers: { Authorization: "Bearer abc" } }],
    ["one of its headers, beside other members", { headers: { authorization: "Bearer abc" }, authorization: 7 }],
  ])("is found as %s", (_, payload) => {
    expect(tokenFrom(payload)).toBe("abc");
  });

  it.each([
    [undefined],
    [{}],
    [{ authorization: ["Bearer abc"] }],
    [{ headers: null }],
    [{ headers: "Bearer abc" }],
    [{ headers: { token: "abc" } }],
  ])("is not found in %j", (payload) => {
    expect(tokenFrom(payload)).toBeUndefined();
  });
});

describe("another header in connection_init", () => {
  it("is found at both places too", () => {
    expect(headerFrom({ traceparent: "a", headers: { traceparent: "b" } }, "traceparent")).toBe("a");
    expect(headerFrom({ headers: { TraceParent: "b" } }, "traceparent")).toBe("b");
  });
});
