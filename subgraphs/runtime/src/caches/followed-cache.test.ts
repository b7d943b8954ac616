import { FollowedCache } from "./followed-cache.js";

/** A read that ends when the test says so. */
function aRead() {
  let resolve = (_value: string): void => undefined;
  let reject = (_error: Error): void => undefined;
  const promise = new Promise<string>((end, fail) => {
    resolve = end;
    reject = fail;
  });
  return { promise, resolve: (value: string) => resolve(value), reject: (error: Error) => reject(error) };
}

function aCache(options: { freshMs?: number; keepsOld?: boolean } = {}) {
  return new FollowedCache<string>({ freshMs: 60_000, maxEntries: 3, ...options });
}

async function keepAll(cache: FollowedCache<string>, ...keys: string[]): Promise<void> {
  for (const key of keys) await cache.keep(key, Promise.resolve(`value of ${key}`));
}

describe("a read", () => {
  it("is shared while it is under way, and its value is there without a promise afterwards", async () => {
    const cache = aCache();
    expect(cache.find("a")).toBeUndefined();
    const pending = aRead();
    const reading = cache.keep("a", pending.promise);
    expect(cache.find("a")).toBe(reading);
    expect(cache.fresh("a")).toBeUndefined();
    pending.resolve("one");
    expect(await reading).toBe("one");
    expect([cache.fresh("a"), await cache.find("a")]).toEqual(["one", "one"]);
  });

  it("that fails is not kept, and the former value stays the last known one", async () => {
    const cache = aCache();
    await keepAll(cache, "a");
    cache.outdate();
    const reading = cache.keep("a", Promise.reject(new Error("the database is gone")));
    await expect(reading).rejects.toThrow("gone");
    expect([cache.find("a"), cache.lastKnown("a")]).toEqual([undefined, "value of a"]);
  });

  it.each([["its key", "a"] as const, ["everything", undefined] as const])(
    "that began before a drop of %s is neither shared nor kept",
    async (_, key) => {
      const cache = aCache();
      const [early, late] = [aRead(), aRead()];
      const earlyReading = cache.keep("a", early.promise);
      cache.drop(key);
      expect(cache.find("a")).toBeUndefined();
      const lateReading = cache.keep("a", late.promise);
      late.resolve("new");
      await lateReading;
      early.resolve("old");
      expect([await earlyReading, cache.fresh("a")]).toEqual(["old", "new"]);
    },
  );

  it("that ends late does not end the next read of its key", async () => {
    const cache = aCache();
    const [early, late] = [aRead(), aRead()];
    const earlyReading = cache.keep("a", early.promise);
    cache.dropReads("a");
    const lateReading = cache.keep("a", late.promise);
    early.reject(new Error("no answer"));
    await expect(earlyReading).rejects.toThrow("no answer");
    expect(cache.find("a")).toBe(lateReading);
    late.resolve("new");
    await lateReading;
  });

  it("that does not end is shared no longer than its value would be fresh", async () => {
    const cache = aCache({ freshMs: 20 });
    void cache.keep("a", aRead().promise);
    expect(cache.find("a")).toBeDefined();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(cache.find("a")).toBeUndefined();
  });
});

describe("a value", () => {
  it.each([
    [false, undefined],
    [true, "one"],
  ])(
    "is found until it is too old, counted from the beginning of its read; it stays then: %s",
    async (keepsOld, left) => {
      const cache = aCache({ freshMs: 40, keepsOld });
      const pending = aRead();
      const reading = cache.keep("a", pending.promise);
      await new Promise((resolve) => setTimeout(resolve, 50));
      pending.resolve("one");
      await reading;
      expect([cache.find("a"), cache.lastKnown("a")]).toEqual([undefined, left]);
    },
  );

  it("is dropped alone with its key, and with all others without a key", async () => {
    const cache = aCache();
    await keepAll(cache, "a", "b", "c");
    cache.drop("a");
    expect([...cache.keys()].toSorted()).toEqual(["b", "c"]);
    cache.dropWhere((value) => value === "value of b");
    expect([...cache.keys()]).toEqual(["c"]);
    cache.drop(undefined);
    expect(cache.lastKnown("c")).toBeUndefined();
  });

  it("stays the last known one when all are outdated", async () => {
    const cache = aCache();
    await keepAll(cache, "a", "b");
    const reading = cache.keep("c", Promise.resolve("old"));
    cache.outdate();
    await reading;
    expect(["a", "b", "c"].map((key) => cache.fresh(key))).toEqual([undefined, undefined, undefined]);
    expect(["a", "b", "c"].map((key) => cache.lastKnown(key))).toEqual(["value of a", "value of b", undefined]);
  });

  it("that the cache does not keep leaves the former one", async () => {
    const keeps = (value: number, former = 0) => value > former;
    const cache = new FollowedCache<number>({ freshMs: 60_000, maxEntries: 3, keeps });
    await cache.keep("a", Promise.resolve(2));
    expect(await cache.keep("a", Promise.resolve(1))).toBe(1);
    expect(cache.fresh("a")).toBe(2);
  });
});

describe("the limit", () => {
  it("of entries drops the value that was not used for the longest time", async () => {
    const cache = aCache();
    await keepAll(cache, "a", "b", "c");
    cache.fresh("a");
    await keepAll(cache, "d");
    expect([...cache.keys()].toSorted()).toEqual(["a", "c", "d"]);
  });

  it("of bytes keeps out a value that is too large", async () => {
    const cache = new FollowedCache<string>({ freshMs: 60_000, maxBytes: 10, bytesOf: ({ length }) => length });
    for (const value of ["1234", "12345", "12345678901"]) await cache.keep(value, Promise.resolve(value));
    expect([...cache.keys()].toSorted()).toEqual(["1234", "12345"]);
    await cache.keep("123456", Promise.resolve("123456"));
    expect([...cache.keys()]).toEqual(["123456"]);
  });

  it("does not count the reads under way", async () => {
    const cache = aCache();
    await keepAll(cache, "a", "b", "c");
    for (let count = 0; count < 10; count += 1) void cache.keep(`invented ${count}`, aRead().promise);
    expect([...cache.keys()].toSorted()).toEqual(["a", "b", "c"]);
  });
});
