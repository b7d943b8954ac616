/**
 * The part of a capability that a search term stands for: the words in its name or its contract in order, or one word.
 */
export const termKinds = { name: 1, contract: 2, word: 3 } as const;

/** How many of an entry's capabilities the column `places` can tell apart; requests allow 100. */
export const maxPlaces = 128;
