import { clientLimits, FailureLimiter } from "./failure-limiter.js";

describe("FailureLimiter", () => {
  let now = 0;
  const limiter = () => new FailureLimiter(clientLimits, () => now);
  const attempt = { clientId: "cli_a", address: "192.0.2.1" };
  const fail = (limiter: FailureLimiter, times: number, of = attempt) => {
    for (let time = 0; time < times; time += 1) limiter.failed(of);
  };

  it("blocks one client at one address after ten failures, for the rest of 15 minutes", () => {
    const failures = limiter();
    fail(failures, 9);
    expect(failures.blockedFor(attempt)).toBeUndefined();
    now += 60_000;
    fail(failures, 1);
    expect(failures.blockedFor(attempt)).toBe(14 * 60);
    expect(failures.blockedFor({ ...attempt, address: "192.0.2.2" })).toBeUndefined();
    expect(failures.blockedFor({ ...attempt, clientId: "cli_b" })).toBeUndefined();
    now += 14 * 60_000;
    expect(failures.blockedFor(attempt)).toBeUndefined();
  });

  it("blocks an address that tries a hundred clients", () => {
    const failures = limiter();
    for (let client = 0; client < 100; client += 1) fail(failures, 1, { ...attempt, clientId: `cli_${client}` });
    expect(failures.blockedFor({ ...attempt, clientId: "cli_new" })).toBe(15 * 60);
    expect(failures.blockedFor({ ...attempt, address: "192.0.2.2" })).toBeUndefined();
  });
});
