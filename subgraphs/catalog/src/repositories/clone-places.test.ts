import { ClonePlaces } from "./clone-places.js";

describe("places for clones", () => {
  it("keep one tenant from taking all of them", () => {
    const places = new ClonePlaces(3, 2);
    expect([places.take("a"), places.take("a")].every(Boolean)).toBe(true);
    expect(places.take("a")).toBeUndefined();
    expect(places.take("b")).toBeDefined();
    expect(places.take("c")).toBeUndefined();
  });

  it("are free again when they are given back", () => {
    const places = new ClonePlaces(1, 1);
    for (let round = 0; round < 3; round += 1) {
      const giveBack = places.take("a");
      expect(places.take("a")).toBeUndefined();
      giveBack?.();
    }
    expect(places.take("b")).toBeDefined();
  });
});
