import { OriginSlots } from "../../ground/egress/origin-slots.js";
import { DueLanes, type Gate } from "./due-lanes.js";

const lane = (tenant: string, origin: string, subscription = "s") => ({ tenant, origin, subscription });

function gateOf(slots: OriginSlots, pauses: Record<string, number> = {}): Gate {
  return {
    hasRoomFor: (tenant) => slots.hasRoomFor(tenant),
    pausedUntil: ({ origin }) => pauses[origin] ?? 0,
    waitsUntil: ({ subscription }) => pauses[subscription] ?? 0,
    enter: (lane) => (slots.take(lane) ? "entered" : "full"),
  };
}

const namesOf = (shares: ReturnType<DueLanes["share"]>) =>
  shares.map(({ lane: { tenant, origin, subscription }, room }) => [tenant, origin, subscription, room]);

describe("shares of due lanes", () => {
  it("gives a tenant that came last as much as one that has waited with a thousand lanes", () => {
    const lanes = new DueLanes();
    for (let place = 0; place < 1000; place += 1) lanes.add(lane("crowd", `http://${place}`));
    lanes.add(lane("newcomer", "http://new"));
    const shares = lanes.share(gateOf(new OriginSlots()), 0);
    expect(shares.filter(({ lane: { tenant } }) => tenant === "crowd")).toHaveLength(32);
    expect(namesOf(shares).slice(0, 2)).toEqual([
      ["crowd", "http://0", "s", 1],
      ["newcomer", "http://new", "s", 16],
    ]);
  });

  it("gives the origins of a tenant equal shares, and the lanes of an origin too", () => {
    const lanes = new DueLanes();
    lanes.add(lane("t", "http://a", "1"));
    lanes.add(lane("t", "http://a", "2"));
    lanes.add(lane("t", "http://b"));
    expect(new Set(namesOf(lanes.share(gateOf(new OriginSlots()), 0)))).toEqual(
      new Set([
        ["t", "http://a", "1", 8],
        ["t", "http://a", "2", 8],
        ["t", "http://b", "s", 16],
      ]),
    );
  });

  it("gives the next turn to those that got nothing in the last", () => {
    const lanes = new DueLanes();
    const slots = new OriginSlots();
    const all = Array.from({ length: 40 }, (_, place) => lane("t", `http://${place}`));
    for (const lane of all) lanes.add(lane);
    const first = lanes.share(gateOf(slots), 0);
    for (const { lane: servedLane, room } of first) {
      slots.free(servedLane, room);
      lanes.add(servedLane);
    }
    const second = lanes.share(gateOf(slots), 0).map(({ lane: { origin } }) => origin);
    expect(second.slice(0, 8)).toEqual(all.slice(32).map(({ origin }) => origin));
  });

  it("takes nothing for a lane whose receiver is paused, until its pause is over", () => {
    const lanes = new DueLanes();
    lanes.add(lane("t", "http://a"));
    lanes.add(lane("t", "http://b"));
    const gate = gateOf(new OriginSlots(), { "http://a": 1000 });
    expect(namesOf(lanes.share(gate, 0))).toEqual([["t", "http://b", "s", 16]]);
    expect([lanes.any, lanes.earliest]).toEqual([false, 1000]);
    lanes.ripen(999);
    expect(lanes.any).toBe(false);
    lanes.ripen(1000);
    expect(namesOf(lanes.share(gate, 1000))).toEqual([["t", "http://a", "s", 16]]);
  });

  it("a lane that waits leaves the slots of its origin to the others until its time comes", () => {
    const lanes = new DueLanes();
    for (const subscription of ["slow", "fast"]) lanes.add(lane("t", "http://a", subscription));
    const limits = { maxTotal: 9, maxPerTenant: 9, maxPerOrigin: 2, reserved: 0, maxPerTenantOfReserved: 0 };
    const gate = () => gateOf(new OriginSlots(limits), { slow: 10 });
    expect(namesOf(lanes.share(gate(), 0))).toEqual([["t", "http://a", "fast", 2]]);
    expect(lanes.earliest).toBe(10);
    lanes.ripen(10);
    expect(namesOf(lanes.share(gate(), 10))).toEqual([["t", "http://a", "slow", 2]]);
  });

  it("adds a lane at each time when one of its messages becomes due", () => {
    const lanes = new DueLanes();
    const slots = new OriginSlots();
    for (const at of [300, 100, 200, 104]) lanes.addAt(lane("t", "http://a"), at);
    const servedAt: number[] = [];
    for (let now = 0; now <= 400; now += 1) {
      lanes.ripen(now);
      for (const { lane: due, room } of lanes.share(gateOf(slots), now)) {
        servedAt.push(now);
        slots.free(due, room);
      }
    }
    expect(servedAt).toEqual([100, 110, 200, 300]);
    expect(lanes.earliest).toBe(Number.POSITIVE_INFINITY);
  });

  it("remembers no more than 32 times of a lane, the earliest ones", () => {
    const lanes = new DueLanes();
    for (let at = 1000; at > 0; at -= 20) lanes.addAt(lane("t", "http://a"), at);
    const servedAt: number[] = [];
    for (let now = 0; now <= 1000; now += 20) {
      lanes.ripen(now);
      if (lanes.share(gateOf(new OriginSlots()), now).length > 0) servedAt.push(now);
    }
    expect(servedAt).toEqual(Array.from({ length: 32 }, (_, place) => 20 * (place + 1)));
  });

  it("gives the places of a lane that may have none to the others of its origin", () => {
    const lanes = new DueLanes();
    for (const name of ["hangs", "also", "good"]) lanes.add(lane("t", "http://a", name));
    const slots = new OriginSlots();
    const gate: Gate = {
      ...gateOf(slots),
      enter: (lane) => (lane.subscription !== "good" ? "later" : slots.take(lane) ? "entered" : "full"),
    };
    expect(namesOf(lanes.share(gate, 0))).toEqual([["t", "http://a", "good", 16]]);
    expect(lanes.any).toBe(true);
  });

  it("remembers no more than 256 lanes of a tenant and 10,000 that wait", () => {
    const lanes = new DueLanes();
    for (let place = 0; place < 20_000; place += 1) {
      lanes.add(lane("t", "http://a", String(place)));
      lanes.addAt(lane("t", "http://a", String(place)), 5);
    }
    let questions = 0;
    const gate: Gate = {
      hasRoomFor: () => true,
      pausedUntil: () => 0,
      waitsUntil: () => 0,
      enter: () => {
        questions += 1;
        return questions <= 10_000 ? "entered" : "full";
      },
    };
    expect(lanes.share(gate, 0)).toHaveLength(256);
    lanes.ripen(5);
    questions = 0;
    expect(lanes.share(gate, 5)).toHaveLength(256);
  });
});
