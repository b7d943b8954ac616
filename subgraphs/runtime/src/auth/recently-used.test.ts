import { RecentlyUsed } from "./recently-used.js";

test("keeps what is used and drops what is not", () => {
  const numbers = new RecentlyUsed<number>(10);
  numbers.set("used", -1);
  for (let round = 0; round < 100; round += 1) {
    numbers.set(`key ${round}`, round);
    expect(numbers.get("used")).toBe(-1);
  }
  expect(numbers.get("key 99")).toBe(99);
  expect(numbers.get("key 0")).toBeUndefined();
  const kept = Array.from({ length: 100 }, (_, round) => numbers.get(`key ${round}`)).filter(
    (value) => value !== undefined,
  );
  expect(kept.length).toBeLessThanOrEqual(10);
});

test("deletes by key and by value", () => {
  const numbers = new RecentlyUsed<number>(4);
  for (const value of [1, 2, 3]) numbers.set(`key ${value}`, value);
  numbers.delete("key 3");
  numbers.deleteWhere((value) => value === 1);
  expect(["key 1", "key 2", "key 3"].map((key) => numbers.get(key))).toEqual([undefined, 2, undefined]);
});
