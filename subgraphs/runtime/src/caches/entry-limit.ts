/**
 * Options for an `LRUCache` that holds at most so many entries. The option `max` in lru-cache reserves memory for all
 * entries at once, which is 1.4 MB for 50,000.
 */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
