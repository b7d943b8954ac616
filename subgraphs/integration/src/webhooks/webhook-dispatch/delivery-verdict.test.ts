import { EgressBlockedError, EgressFailure } from "@factory/runtime/egress/egress-errors";
import { errorVerdict, responseVerdict } from "./delivery-verdict.js";

const answer = (status: number, headers: Record<string, string> = {}, body = "") =>
  responseVerdict({ status, headers, body: Buffer.from(body), truncated: false }, 0);

describe("verdict on an attempt", () => {
  it.each([200, 201, 204, 299])("counts %d as delivered", (status) => {
    expect(answer(status)).toMatchObject({ kind: "delivered", failure: null, statusCode: status });
  });

  it.each([301, 400, 401, 404, 409, 500])("tries again after %d without undue haste", (status) => {
    expect(answer(status)).toMatchObject({ kind: "failed", failure: "HttpStatus", retry: { overloaded: false } });
  });

  it.each([429, 502, 504])("gives a receiver that answers %d time", (status) => {
    expect(answer(status, { "retry-after": "30" })).toMatchObject({
      kind: "failed",
      retry: { overloaded: true, retryAfterMs: 30_000 },
    });
  });

  it("ends the message and disables the subscription at 410", () => {
    expect(answer(410)).toMatchObject({ kind: "aborted", disable: "ReceiverGone" });
  });

  it("does what webhook-delivery asks for", () => {
    expect(answer(500, { "webhook-delivery": "abort-message" })).toMatchObject({ kind: "aborted" });
    expect(answer(500, { "webhook-delivery": "abort-message" }).disable).toBeUndefined();
    expect(answer(200, { "webhook-delivery": "disable" })).toMatchObject({
      kind: "delivered",
      disable: "ReceiverDisabled",
    });
  });

  it("tells a blocked target and a timeout from a bug", () => {
    expect(errorVerdict(new EgressBlockedError("a private address"))).toMatchObject({
      failure: "TargetBlocked",
      detail: "a private address",
    });
    expect(errorVerdict(new EgressFailure("timeout", "late"))).toMatchObject({
      failure: "Timeout",
      retry: { overloaded: true },
    });
    expect(errorVerdict(new EgressFailure("tls", "no"))).toMatchObject({ failure: "TlsFailed" });
    expect(errorVerdict(new Error("bug"))).toBeUndefined();
  });
});
