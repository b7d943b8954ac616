import type { PreparedStatement } from "./transaction-dialect.js";

/** Settings for PostgreSQL's planner by name ("Query Planning" in its manual). */
type PlanSettings = Readonly<Record<string, string>>;

/**
 * For statements that must find rows in a growing table by their keys. PostgreSQL may plan a prepared statement or a
 * foreign-key check while the table is empty, when reading all the tenant's rows is cheapest, and keeps that plan until
 * the next ANALYZE, however much the table grows. So each plan is made for its values, and joins by an index.
 */
export const plansByKeys = {
  plan_cache_mode: "force_custom_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
} as const satisfies PlanSettings;

/** The same for statements that read the first rows in an index's order, and must not read and sort all. */
export const plansInOrder = { ...plansByKeys, enable_sort: "off" } as const satisfies PlanSettings;

/** Connection options with these settings. */
export const connectionOptions = (settings: PlanSettings): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ");

/** A statement that applies the settings to the rest of its transaction, and to foreign-key checks in its commit. */
export const planStatement = (name: string, settings: PlanSettings): PreparedStatement => ({
  name,
  text: `select ${Object.entries(settings)
    .map(([setting, value]) => `set_config('${setting}', '${value}', true)`)
    .join(", ")}`,
});
