interface Memory<K, T> {
  get(key: K): T | undefined;
  has(key: K): boolean;
  set(key: K, value: T): unknown;
}

/** The stored value for a key; the first call computes and stores it, `undefined` included. */
export function getOrCompute<K, T>(memory: Memory<K, T>, key: K, compute: (key: K) => T): T {
  const memoized = memory.get(key);
  if (memoized !== undefined || memory.has(key)) return memoized as T;
  const value = compute(key);
  memory.set(key, value);
  return value;
}

/** Computes a value once for each key. Callers choose the keys, so a full memory starts again from empty. */
export function memoize<K, T>(maxEntries: number, compute: (key: K) => T): (key: K) => T {
  const memory = new Map<K, T>();
  return (key) => {
    if (memory.size >= maxEntries && !memory.has(key)) memory.clear();
    return getOrCompute(memory, key, compute);
  };
}
