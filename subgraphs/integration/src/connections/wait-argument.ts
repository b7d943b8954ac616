/** The argument by which a mutation of a connection waits for the run that it starts. */
export const waitSecondsDescription = {
  nullable: true,
  description: "Waits at most this long (0 to 30 s) for the run that it starts, and answers what it has found.",
};
