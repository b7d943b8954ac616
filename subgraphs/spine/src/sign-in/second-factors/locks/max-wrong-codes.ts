/** After so many wrong codes without a right one a person's codes are locked. */
export const maxWrongCodes = 20;
