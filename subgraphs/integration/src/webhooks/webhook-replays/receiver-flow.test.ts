import { ReceiverFlow } from "./receiver-flow.js";

/** Replays to a receiver that takes so many webhooks a second, with a look each 100 ms. Returns the most that waited. */
function replayed(perSecond: number, seconds: number, limit: number | null = null) {
  const flow = new ReceiverFlow(0);
  let [waiting, most, total] = [0, 0, 0];
  for (let now = 100; now <= seconds * 1000; now += 100) {
    const sentNow = Math.min(
      waiting,
      Math.floor((perSecond * now) / 1000) - Math.floor((perSecond * (now - 100)) / 1000),
    );
    waiting -= sentNow;
    total += sentNow;
    const room = flow.room(waiting, limit, now);
    flow.released(room);
    waiting += room;
    most = Math.max(most, waiting);
  }
  return { most, taken: total };
}

describe("the flow of a replay to its receiver", () => {
  it("lets few webhooks wait for a slow receiver", () => {
    expect(replayed(3, 60).most).toBeLessThanOrEqual(20);
    expect(replayed(100, 60).most).toBeLessThanOrEqual(450);
  });

  it("is as fast as the receiver", () => {
    expect(replayed(1000, 60).taken).toBeGreaterThan(55_000);
    expect(replayed(100, 60).taken).toBeGreaterThan(5500);
    expect(replayed(3, 60).taken).toBeGreaterThan(170);
  });

  it("never lets more than 2,000 wait, and as many as the rate of the subscription allows", () => {
    expect(replayed(100_000, 60).most).toBeLessThanOrEqual(2000);
    expect(replayed(1, 60, 1).most).toBeLessThanOrEqual(2);
    expect(replayed(0.1, 60, 0.1).most).toBe(1);
  });

  it("knows how long the receiver has taken nothing", () => {
    const flow = new ReceiverFlow(0);
    flow.released(flow.room(0, null, 0));
    flow.room(16, null, 4000);
    expect(flow.stuckFor(4000)).toBe(4000);
    flow.room(15, null, 5000);
    expect(flow.stuckFor(5000)).toBe(0);
  });
});
