import { LRUCache } from "lru-cache";
import { atMost } from "./entry-limit.js";

it("keeps so many entries, those that were used last", () => {
  const cache = new LRUCache<string, number>(atMost(3));
  for (const [index, key] of ["a", "b", "c"].entries()) cache.set(key, index);
  cache.get("a");
  cache.set("d", 3);
  expect([...cache.keys()].toSorted()).toEqual(["a", "c", "d"]);
});
