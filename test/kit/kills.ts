/** The number of kills in a fault suite. Each place where a process may die is met once; `KILLS=10` repeats them. */
export const kills = Number(process.env["KILLS"] ?? 4);
