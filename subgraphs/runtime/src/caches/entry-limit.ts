/**
 * The options of an `LRUCache` that holds at most so many entries. The option `max` of lru-cache reserves the memory of
 * all entries at once, which is 1.4 MB for 50,000.
 */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
