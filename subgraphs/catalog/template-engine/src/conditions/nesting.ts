/** Levels and operators of one condition, whose evaluation takes some of the stack for each. No template needs as many. */
export const maxNesting = 1000;

export const nestsTooDeeply = `it nests, or joins, more than ${maxNesting} parts`;
