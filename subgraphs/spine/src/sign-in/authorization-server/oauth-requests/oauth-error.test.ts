import { errors } from "oidc-provider";
import { OAuthError, oauthErrorResponse } from "./oauth-error.js";

const issuer = "https://factory.example";

describe("oauthErrorResponse", () => {
  it("has Retry-After while the database does not answer", () => {
    const failure = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    expect(oauthErrorResponse(failure, issuer)).toEqual({
      status: 503,
      body: { error: "temporarily_unavailable", error_description: "Unavailable", code: "UNAVAILABLE" },
      headers: { "retry-after": "1" },
    });
  });

  it("does not show the message of a bug", () => {
    const { status, body } = oauthErrorResponse(new TypeError("x is not a function"), issuer);
    expect(status).toBe(500);
    expect(body).toEqual({ error: "server_error", error_description: "Internal error", code: "INTERNAL" });
  });

  it("has the codes of RFC 6749, and requests Basic credentials with a 401", () => {
    expect(oauthErrorResponse(new errors.InvalidClientAuth("detail"), issuer)).toEqual({
      status: 401,
      body: { error: "invalid_client", error_description: "client authentication failed", code: "UNAUTHENTICATED" },
      headers: { "www-authenticate": `Basic realm="${issuer}", error="invalid_client"` },
    });
  });

  it("keeps the status and the Retry-After of a domain error", () => {
    const refusal = new OAuthError("RATE_LIMITED", "rate_limited", "Later.", { status: 429, retryAfterSeconds: 7 });
    expect(oauthErrorResponse(refusal, issuer)).toEqual({
      status: 429,
      body: { error: "rate_limited", error_description: "Later.", code: "RATE_LIMITED" },
      headers: { "retry-after": "7" },
    });
  });
});
