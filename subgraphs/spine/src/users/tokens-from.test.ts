import { firstSecondAfter, nextTokensFrom } from "./tokens-from.js";

describe("nextTokensFrom", () => {
  it.each([0, 100, 749, 751, 999, 1000, 5000])(
    "ends the sign-ins that were dated after the last change, %d ms after it",
    (later) => {
      const last = new Date("2026-11-23T12:00:00.250Z");
      const signedInAt = firstSecondAfter(last.getTime());
      const next = nextTokensFrom({ tokensFrom: last }, new Date(last.getTime() + later));
      expect(signedInAt * 1000).toBeLessThan(next.getTime() + 250);
      expect(next.getTime()).toBeLessThan(last.getTime() + Math.max(later, 1250) + 1);
    },
  );

  it("is the present time at the first change", () => {
    const now = new Date();
    expect(nextTokensFrom({ tokensFrom: null }, now)).toBe(now);
  });
});
