// oxlint-disable-next-line node/no-process-env -- the tests' caller chooses the number
const wantedKills = process.env["KILLS"];

/** How many kills a fault suite makes. Each place where a process may die is met once; `KILLS=10` repeats them. */
export const kills = Number(wantedKills ?? 4);

/** How many kills a suite makes when it has so many places where a process may die. */
export const killsAt = (places: number): number => Math.max(places, Number(wantedKills ?? 0));
