import { CircuitBreakers } from "./circuit-breakers.js";

const lane = (tenant = "t", origin = "http://a") => ({ tenant, origin, subscription: "s" });
const withoutJitter = () => new CircuitBreakers(() => 0.5);

function opened(breakers: CircuitBreakers, now = 0) {
  for (let attempt = 1; attempt < 5; attempt += 1) expect(breakers.unanswered(lane(), false, now)).toBeUndefined();
  return breakers.unanswered(lane(), false, now);
}

describe("the breaker of a tenant's origin", () => {
  it("opens after five attempts in a row without an answer", () => {
    const breakers = withoutJitter();
    expect(opened(breakers)).toEqual({ openings: 1, pauseMs: 5000 });
    expect([breakers.isOpen(lane()), breakers.pausedUntil(lane())]).toEqual([true, 5000]);
  });

  it("stays closed while any answer comes between", () => {
    const breakers = withoutJitter();
    for (let round = 0; round < 10; round += 1) {
      for (let attempt = 0; attempt < 4; attempt += 1) breakers.unanswered(lane(), false, 0);
      expect(breakers.answered(lane())).toBe(false);
    }
    expect(breakers.isOpen(lane())).toBe(false);
  });

  it("leaves another tenant's receiver on the same host alone, and the tenant's other receivers", () => {
    const breakers = withoutJitter();
    opened(breakers);
    expect(breakers.isOpen(lane("other"))).toBe(false);
    expect(breakers.isOpen(lane("t", "http://b"))).toBe(false);
  });

  it("pauses twice as long after each probe that fails, up to five minutes", () => {
    const breakers = withoutJitter();
    opened(breakers);
    const pauses = Array.from({ length: 8 }, () => breakers.unanswered(lane(), true, 0)?.pauseMs);
    expect(pauses).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000]);
  });

  it("learns nothing from attempts that were under way when it opened", () => {
    const breakers = withoutJitter();
    opened(breakers);
    expect(breakers.unanswered(lane(), false, 1000)).toBeUndefined();
    expect(breakers.pausedUntil(lane())).toBe(5000);
  });

  it("is closed by the first answer", () => {
    const breakers = withoutJitter();
    opened(breakers);
    expect(breakers.answered(lane())).toBe(true);
    expect([breakers.isOpen(lane()), breakers.pausedUntil(lane())]).toEqual([false, 0]);
  });

  it("does not keep what it knows of receivers that are gone", () => {
    const breakers = withoutJitter();
    opened(breakers);
    breakers.tidy(11 * 60_000);
    expect(breakers.isOpen(lane())).toBe(false);
  });
});
