import type { EditionFeatures } from "@factory/schema/edition-features";
import type { Pool } from "pg";

interface SeededEdition {
  readonly code: string;
  readonly description: string;
  readonly features: EditionFeatures;
}

/** The editions that every installation begins with. */
const seededEditions: readonly SeededEdition[] = [
  { code: "Free", description: "To try the platform.", features: features(100, 5, 3) },
  { code: "Standard", description: "For a team.", features: features(10_000, 200, 100) },
  { code: "Enterprise", description: "Without limits.", features: features(null, null, null) },
];

function features(executions: number | null, users: number | null, webhooks: number | null): EditionFeatures {
  return {
    "executions.monthly": { kind: "metered", limit: executions, period: "month", soft: false },
    "users.max": { kind: "limit", limit: users },
    "webhooks.max": { kind: "limit", limit: webhooks },
  };
}

const seed = `with seeded as (
    insert into editions (code, name, description, trial_days, features, active, version, created_at, updated_at)
    select code, code, description, 0, features, true, 1, now(), now()
    from jsonb_to_recordset($1::jsonb) as seed(code text, description text, features jsonb)
    on conflict (code) do nothing
    returning *)
  insert into edition_versions
    (code, version, name, description, trial_days, features, active, changed_at, changed_by)
  select code, version, name, description, trial_days, features, active, updated_at, 'bootstrap' from seeded`;

/** Creates the editions that are missing. An edition that exists stays as it is. `workers` connects as the worker role. */
export async function seedEditions(workers: Pick<Pool, "query">): Promise<void> {
  await workers.query(seed, [JSON.stringify(seededEditions)]);
}
