import { PlatformBudgets } from "@factory/runtime/platform-limits/platform-budgets";
import { RecipientRateLimiter } from "./recipient-rate-limiter.js";

describe("the limit of recipients of notifications", () => {
  it("counts the recipients of a tenant by its edition, and begins anew after a minute", async () => {
    let now = 0;
    const rate = new RecipientRateLimiter(1, new PlatformBudgets(undefined, () => now));
    for (let request = 0; request < 60; request += 1)
      expect(await rate.consume("ten_1", "Standard", 100)).toBeUndefined();
    now = 20_000;
    expect(await rate.consume("ten_1", "Standard", 1)).toBe(40);
    expect(await rate.consume("ten_2", "Free", 1200)).toBeUndefined();
    expect(await rate.consume("ten_2", "Free", 1)).toBe(60);
    expect(await rate.consume("ten_3", undefined, 6000)).toBeUndefined();
    now = 60_000;
    expect(await rate.consume("ten_1", "Standard", 100)).toBeUndefined();
  });
});
