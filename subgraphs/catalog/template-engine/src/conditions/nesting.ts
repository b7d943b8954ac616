/** The limit for levels and operators of one condition, since evaluating each of them takes space on the call stack. */
export const maxNesting = 1000;

export const nestsTooDeeply = `it has more than ${maxNesting} levels or operators`;
