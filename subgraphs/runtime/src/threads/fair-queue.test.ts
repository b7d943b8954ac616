import { FairQueue } from "./fair-queue.js";

describe("FairQueue", () => {
  it("lets owners take turns, each in its own order", () => {
    const queue = new FairQueue<string>();
    for (const item of ["a1", "a2", "a3", "b1", "c1", "c2"]) queue.push(item.charAt(0), item);
    const takenItems = Array.from({ length: 6 }, () => queue.shift());
    expect(takenItems).toEqual(["a1", "b1", "c1", "a2", "c2", "a3"]);
    expect(queue.shift()).toBeUndefined();
    expect(queue.length).toBe(0);
  });

  it("gives a newcomer its turn before the rest of a long queue", () => {
    const queue = new FairQueue<string>();
    for (let place = 1; place <= 100; place += 1) queue.push("a", `a${place}`);
    queue.shift();
    queue.push("b", "b1");
    expect([queue.shift(), queue.shift()]).toEqual(["a2", "b1"]);
  });

  it("keeps the order of an owner when an item is put back, and lets the others go first", () => {
    const queue = new FairQueue<string>();
    for (const item of ["a1", "a2", "b1"]) queue.push(item.charAt(0), item);
    queue.putBack("a", queue.shift() ?? "");
    expect(Array.from({ length: 3 }, () => queue.shift())).toEqual(["b1", "a1", "a2"]);
    expect(queue.length).toBe(0);
  });

  it("forgets what is removed", () => {
    const queue = new FairQueue<string>();
    for (const item of ["a1", "a2"]) queue.push("a", item);
    expect(queue.remove("a", "a1")).toBe(true);
    expect(queue.remove("a", "a1")).toBe(false);
    expect(queue.waitingFor("a")).toBe(1);
    expect([queue.shift(), queue.shift()]).toEqual(["a2", undefined]);
  });
});
