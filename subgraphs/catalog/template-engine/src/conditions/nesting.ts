/** The limit for levels and operators in one condition, since evaluating each one takes space on the call stack. */
export const maxNesting = 1000;

export const nestsTooDeeply = `it has more than ${maxNesting} levels or operators`;
