import type { LimitFeature, MeteredFeature, MeteredPeriod } from "@factory/schema/edition-features";

/** A feature whose usage is counted. */
export type CountedFeature = LimitFeature | MeteredFeature;

/** The period in which usage counts. */
export interface UsagePeriod {
  readonly start: Date;
  /** The time at which the usage starts from zero; undefined for a limit. */
  readonly resetAt: Date | undefined;
}

const noPeriod: UsagePeriod = { start: new Date(0), resetAt: undefined };

const calendar: Readonly<Record<MeteredPeriod, (now: Date, periods: number) => number>> = {
  month: (now, periods) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + periods, 1),
  day: (now, periods) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + periods),
};

/** Each kind's latest period. Every check asks for it, and it rarely changes. */
const latest = new Map<MeteredPeriod, { readonly start: Date; readonly resetAt: Date }>();

/** The calendar month or day in UTC that contains `now`. A limit has one period without an end. */
export function usagePeriod(feature: CountedFeature, now: Date): UsagePeriod {
  if (feature.kind === "limit") return noPeriod;
  const latestPeriod = latest.get(feature.period);
  if (latestPeriod && latestPeriod.start <= now && now < latestPeriod.resetAt) return latestPeriod;
  const at = calendar[feature.period];
  const period = { start: new Date(at(now, 0)), resetAt: new Date(at(now, 1)) };
  latest.set(feature.period, period);
  return period;
}

/** The start times for all periods that contain `now`, so that all counters of a tenant can be read. */
export function currentPeriodStarts(now: Date): Date[] {
  return [noPeriod.start, ...Object.values(calendar).map((at) => new Date(at(now, 0)))];
}
