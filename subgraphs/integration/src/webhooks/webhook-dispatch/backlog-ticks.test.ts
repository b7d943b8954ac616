import { BacklogTicks } from "./backlog-ticks.js";

const lane = (subscription: string) => ({ tenant: "t", origin: "http://a", subscription });

describe("lanes with a backlog", () => {
  it("wait for the same time, which is near, and the others do not wait", () => {
    const ticks = new BacklogTicks();
    expect([ticks.postpone(lane("1"), 1000), ticks.postpone(lane("2"), 1006.5)]).toEqual([1008, 1008]);
    expect(ticks.postpone(lane("1"), 1008)).toBe(1016);
    expect(["1", "2", "3"].map((subscription) => ticks.waitsUntil(lane(subscription)))).toEqual([1016, 1008, 0]);
  });
});
