// tables: runs

import { openReplays } from "../../runs/run.states.js";

/** $1: tenant. */
export const openReplaysOfTenant = {
  name: "webhook_replays_open",
  text: `select run_id, payload ->> 'subscriptionId' as subscription_id from runs where tenant_id = $1 and ${openReplays}`,
};

/** $1: tenant, $2: run. */
export const lockedReplay = {
  name: "webhook_replay_lock",
  text: `select status, payload, checkpoint from runs
    where tenant_id = $1 and run_id = $2 and operation = 'ReplayDeliveries' for no key update`,
};

/** $1: tenant, $2: run, $3: the ID for the run that continues it. */
export const noteContinuation = {
  name: "webhook_replay_continued",
  text: `update runs set payload = payload || jsonb_build_object('continuedBy', $3::text)
    where tenant_id = $1 and run_id = $2`,
};
