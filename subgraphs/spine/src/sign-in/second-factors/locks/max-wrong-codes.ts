/** After so many wrong codes without a right one the codes of a person are locked. */
export const maxWrongCodes = 20;
