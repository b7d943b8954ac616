// oxlint-disable-next-line node/no-process-env -- the caller of the tests chooses the number
const wanted = process.env["KILLS"];

/** The number of kills in a fault suite. Each place where a process may die is met once; `KILLS=10` repeats them. */
export const kills = Number(wanted ?? 4);

/** The number of kills in a suite with so many places where a process may die. */
export const killsAt = (places: number): number => Math.max(places, Number(wanted ?? 0));
