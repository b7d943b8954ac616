import { RecipientRateLimiter } from "./recipient-rate-limiter.js";

describe("the limit of recipients of notifications", () => {
  it("counts the recipients of a tenant by its edition, and begins anew after a minute", () => {
    let now = 0;
    const rate = new RecipientRateLimiter(1, () => now);
    for (let request = 0; request < 60; request += 1) expect(rate.consume("ten_1", "Standard", 100)).toBeUndefined();
    now = 20_000;
    expect(rate.consume("ten_1", "Standard", 1)).toBe(40);
    expect(rate.consume("ten_2", "Free", 1200)).toBeUndefined();
    expect(rate.consume("ten_2", "Free", 1)).toBe(60);
    expect(rate.consume("ten_3", undefined, 6000)).toBeUndefined();
    now = 60_000;
    expect(rate.consume("ten_1", "Standard", 100)).toBeUndefined();
  });
});
