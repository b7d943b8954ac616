import type { BillingCycle } from "@factory/schema/vocabularies/plans";

/** The billing cycles and their length in months. */
export const billingCycles = { Monthly: 1, Annual: 12 } as const satisfies Record<BillingCycle, number>;

/** The time so many calendar months later in UTC. A day that the month does not have becomes its last day. */
export function addMonths(time: Date, months: number): Date {
  const [year, month] = [time.getUTCFullYear(), time.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const later = new Date(time);
  later.setUTCFullYear(year, month, Math.min(time.getUTCDate(), lastDay));
  return later;
}

/** The first moment after the period that begins at the anchor. */
export const firstPeriodEnd = (anchor: Date, cycle: BillingCycle): Date => addMonths(anchor, billingCycles[cycle]);

/**
 * The end of the period after the one that ends at `end`. It is counted from the anchor, the first period's begin, so
 * that a day which a short month lacks comes back in a longer one: 31 January, 28 February, 31 March.
 */
export function nextPeriodEnd(anchor: Date, end: Date, cycle: BillingCycle): Date {
  const elapsedMonths =
    (end.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + end.getUTCMonth() - anchor.getUTCMonth();
  return addMonths(anchor, elapsedMonths + billingCycles[cycle]);
}
