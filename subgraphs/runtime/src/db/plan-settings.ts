import type { PreparedStatement } from "./transaction-dialect.js";

/** Settings of PostgreSQL's planner by name ("Query Planning" of its manual). */
type PlanSettings = Readonly<Record<string, string>>;

/**
 * For statements that must find rows of a growing table by their keys. PostgreSQL may plan a prepared statement or the
 * check of a foreign key while the table is empty, when reading all rows of the tenant is cheapest, and keeps that plan
 * until the next ANALYZE, however much the table grows. So each plan is made for its values, and joins by an index.
 */
export const plansByKeys = {
  plan_cache_mode: "force_custom_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
} as const satisfies PlanSettings;

/** The same for statements that read the first rows in the order of an index, and must not read and sort all of them. */
export const plansInOrder = { ...plansByKeys, enable_sort: "off" } as const satisfies PlanSettings;

/** The options of a connection with these settings. */
export const connectionOptions = (settings: PlanSettings): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ");

/** A statement that applies the settings to the rest of its transaction, and to the checks of foreign keys in its commit. */
export const planStatement = (name: string, settings: PlanSettings): PreparedStatement => ({
  name,
  text: `select ${Object.entries(settings)
    .map(([setting, value]) => `set_config('${setting}', '${value}', true)`)
    .join(", ")}`,
});
