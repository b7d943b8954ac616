import { DomainError } from "@factory/runtime/errors/domain-error";
import { parseTokenAnswer } from "./token-answer.js";

const parse = (answer: unknown, status = 200, isTruncated = false) => {
  const body = Buffer.from(typeof answer === "string" ? answer : JSON.stringify(answer));
  try {
    return parseTokenAnswer({ status, body, truncated: isTruncated });
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
};

const good = { access_token: "abc", token_type: "bEARER", expires_in: 3600, refresh_token: "def", scope: "a b" };

describe("the answer of a token endpoint", () => {
  it("gives the tokens", () => {
    expect(parse(good)).toEqual({ accessToken: "abc", refreshToken: "def", expiresIn: 3600, scope: "a b" });
    expect(parse({ access_token: "abc", token_type: "Bearer" })).toEqual({
      ...{ accessToken: "abc", refreshToken: undefined, expiresIn: undefined, scope: undefined },
    });
  });

  it.each([
    ["not JSON", "<html>"],
    ["a list", [good]],
    ["no token", { ...good, access_token: undefined }],
    ["an empty token", { ...good, access_token: "" }],
    ["a token with a line break", { ...good, access_token: "a\r\nx: y" }],
    ["a token that is too long", { ...good, access_token: "a".repeat(16_385) }],
    ["no type", { ...good, token_type: undefined }],
    ["another type", { ...good, token_type: "mac" }],
    ["a lifetime as text", { ...good, expires_in: "3600" }],
    ["a negative lifetime", { ...good, expires_in: -1 }],
    ["an endless lifetime", { ...good, expires_in: 1e12 }],
    ["a refresh token that is not a text", { ...good, refresh_token: 7 }],
  ])("with %s cannot be used", (_, answer) => {
    expect(parse(answer)).toMatchObject({ code: "UPSTREAM_FAILED" });
  });

  it("that was cut off cannot be used", () => {
    expect(parse(good, 200, true)).toMatchObject({ code: "UPSTREAM_FAILED" });
  });

  it.each([
    [400, { error: "invalid_grant", error_description: "the secret is s3cret" }, "CREDENTIAL_REJECTED"],
    [401, { error: "invalid_client" }, "CREDENTIAL_REJECTED"],
    [401, "", "CREDENTIAL_REJECTED"],
    [200, { error: "invalid_grant", ok: false }, "CREDENTIAL_REJECTED"],
    [400, { error: "invalid_scope" }, "UPSTREAM_FAILED"],
    [400, { error: "s3cret" }, "UPSTREAM_FAILED"],
    [302, {}, "UPSTREAM_FAILED"],
    [503, "down", "UPSTREAM_FAILED"],
  ])("with the status %i and %j is %s, and shows none of its texts", (status, answer, code) => {
    const refusal = parse(answer, status);
    expect(refusal).toMatchObject({ code });
    expect(String((refusal as Error).message)).not.toContain("s3cret");
  });
});
