import { egressFailure } from "@factory/runtime/egress/egress-errors";
import type { DomainError } from "@factory/runtime/errors/domain-error";
import { callFailure, paused, rateLimited, wasUnsent } from "./call-failure.js";

describe("the refusal of a call during a pause", () => {
  it.each([
    ["UNAVAILABLE", paused("UNAVAILABLE", "The vendor did not answer.", 90_000), 90],
    ["RATE_LIMITED", rateLimited("The vendor limits the rate of calls.", 1), 1],
  ] as const)("%s says when the pause ends, in the text too, which a run shows later", (code, error, seconds) => {
    expect(error).toMatchObject({ code, facts: { retryAfterSeconds: seconds } });
    const [, until = ""] = /The next call is made after (\S+)\.$/.exec(error.message) ?? [];
    const secondsLeft = (Date.parse(until) - Date.now()) / 1000;
    expect(secondsLeft).toBeGreaterThan(seconds - 5);
    expect(secondsLeft).toBeLessThanOrEqual(seconds);
  });
});

it("a call for which no file descriptor was left was not sent, and is not the fault of the vendor", () => {
  const failure = callFailure(egressFailure(Object.assign(new Error("connect EMFILE"), { code: "EMFILE" })));
  expect(failure).toMatchObject({ code: "UNAVAILABLE", facts: { retryAfterSeconds: 5 } });
  expect(wasUnsent(failure as DomainError)).toBe(true);
});
