import { OriginSlots, slotLimits } from "./origin-slots.js";

const lane = (tenant: string, origin = "http://a", subscription = "s") => ({ tenant, origin, subscription });
const takeAll = (slots: OriginSlots, ...lanes: ReturnType<typeof lane>[]) =>
  lanes.reduce((count, wantedLane) => {
    while (slots.take(wantedLane)) count += 1;
    return count;
  }, 0);
const origins = (tenant: string, count: number) =>
  Array.from({ length: count }, (_, place) => lane(tenant, `http://${place}`));

describe("places of attempts that wait", () => {
  it("gives one origin of a tenant 16, whatever the number of its lanes", () => {
    expect(takeAll(new OriginSlots(), lane("t"), lane("t", "http://a", "other"))).toBe(16);
  });

  it("gives a tenant 32, whatever the number of its origins", () => {
    expect(takeAll(new OriginSlots(), ...origins("t", 10))).toBe(32);
  });

  it("counts one host's places for each tenant apart", () => {
    const slots = new OriginSlots();
    expect([takeAll(slots, lane("one")), takeAll(slots, lane("two"))]).toEqual([16, 16]);
  });

  it("keeps the last places for tenants that hold few", () => {
    const slots = new OriginSlots();
    const greedy = Array.from({ length: 10 }, (_, tenant) => takeAll(slots, ...origins(`greedy ${tenant}`, 2)));
    expect(greedy).toEqual([32, 32, 32, 32, 32, 32, 4, 4, 4, 4]);
    const small = Array.from({ length: 20 }, (_, tenant) => takeAll(slots, lane(`small ${tenant}`)));
    expect(small.slice(0, 12)).toEqual(Array.from({ length: 12 }, () => 4));
    expect(small.slice(12)).toEqual(Array.from({ length: 8 }, () => 0));
    expect(slots.held).toBe(slotLimits.maxTotal);
  });

  it("has a place again for everyone once those that hold it leave", () => {
    const slots = new OriginSlots();
    takeAll(slots, lane("t"));
    slots.free(lane("t"), 16);
    expect([slots.held, slots.heldByOrigin(lane("t"))]).toEqual([0, 0]);
    expect(takeAll(slots, lane("t"))).toBe(16);
  });
});
