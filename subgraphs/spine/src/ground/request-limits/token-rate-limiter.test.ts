import { PlatformBudgets } from "@factory/runtime/platform-limits/platform-budgets";
import { TokenRateLimiter } from "./token-rate-limiter.js";

describe("TokenRateLimiter", () => {
  it("lets 600 requests of a client through in a minute, and others go on", () => {
    let now = 0;
    const rate = new TokenRateLimiter(1, new PlatformBudgets(undefined, () => now));
    for (let request = 0; request < 600; request += 1) expect(rate.consume("cli_a", "Standard")).toBeUndefined();
    now = 20_000;
    expect(rate.consume("cli_a", "Standard")).toBe(40);
    expect(rate.consume("cli_b", "Standard")).toBeUndefined();
    now = 60_000;
    expect(rate.consume("cli_a", "Standard")).toBeUndefined();
  });

  it("follows the edition", () => {
    const rate = new TokenRateLimiter(1);
    const admissions = (client: string, edition: string) => {
      let requests = 0;
      while (rate.consume(client, edition) === undefined) requests += 1;
      return requests;
    };
    expect([admissions("cli_f", "Free"), admissions("cli_e", "Enterprise")]).toEqual([120, 6000]);
  });
});
