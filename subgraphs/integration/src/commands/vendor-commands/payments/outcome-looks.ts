/** How long after its acceptance a vendor is asked for an outcome that it has not reported. */
const looksSeconds = [30, 5 * 60, 3600, 24 * 3600] as const;

/** The time that a vendor has to tell an outcome in the end. */
export const lastLookSeconds = looksSeconds[looksSeconds.length - 1] ?? 0;

/** The clocks in the database, which plans a look, and in this process may differ by this much. */
const clockDifferenceSeconds = 2;

/** The seconds until the first look at an outcome. A vendor that cannot be asked has the whole time to report it. */
export const firstLook = (canBeAsked: boolean): number => (canBeAsked ? looksSeconds[0] : lastLookSeconds);

/** The seconds until the next look; undefined after the last one. */
export function nextLook(acceptedAt: Date | null, now: Date, canBeAsked: boolean): number | undefined {
  if (acceptedAt === null) return undefined;
  const elapsedSeconds = (now.getTime() - acceptedAt.getTime()) / 1000;
  const plannedLooks = canBeAsked ? looksSeconds : [lastLookSeconds];
  const next = plannedLooks.find((seconds) => seconds > elapsedSeconds + clockDifferenceSeconds);
  return next === undefined ? undefined : next - elapsedSeconds;
}
