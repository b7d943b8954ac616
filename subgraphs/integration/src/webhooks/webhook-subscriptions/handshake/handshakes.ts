import { namedStatement } from "@factory/runtime/db/named-parameters";
import type { Egress, EgressResponse } from "@factory/runtime/egress/egress";
import { EgressBlockedError, EgressFailure } from "@factory/runtime/egress/egress-errors";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { JobDefinition, JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import type { WaitingRows } from "@factory/runtime/jobs/sweeping/job-rows";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { HandshakeStarter } from "./first-handshake.js";

/** The payload for the job that asks one receiver. */
interface HandshakePayload {
  tenantId: string;
  subscriptionId: string;
}

/** The job asks a receiver whether it wants webhooks. */
export const handshakeJob: JobDefinition<HandshakePayload> = {
  queue: "webhook-handshake",
  retryLimit: 5,
  retryDelaySeconds: 5,
  retryBackoff: true,
  expireInSeconds: 60,
  concurrency: 8,
  concurrencyPerTenant: 2,
  subject: "subscriptionId",
};

/** Subscriptions that wait for their handshake; one without a job gets its job again. */
export const handshakeRows: WaitingRows<HandshakePayload> = {
  slice: "webhook-subscriptions",
  job: handshakeJob,
  table: "webhook_subscriptions",
  id: "subscription_id",
  prefix: "whs",
  waiting:
    "status = 'Active' and handshake is not null and (handshake = 'Pending' or handshake_url is distinct from endpoint_url)",
  since: "coalesce(handshake_next_at, handshake_since, created_at)",
  payload: ({ tenantId, id }) => ({ tenantId, subscriptionId: id }),
};

/** The delays after failed attempts. The last one is repeated until the subscription is disabled. */
const delaysSeconds = [10, 60, 300, 900, 3600];
const giveUpAfterHours = 72;
const connectTimeoutMs = 5_000;
const totalTimeoutMs = 15_000;

/**
 * Begins anew for an endpoint that has not agreed, and for a subscription that was disabled meanwhile. Each change to a
 * subscription sends its own job. A job that comes before the next time finds nothing, so that only one goes on.
 */
const waiting = {
  name: "webhook_handshake_waiting",
  text: `update webhook_subscriptions set handshake = 'Pending', allowed_per_minute = null,
      handshake_since = case when handshake = 'Pending' then coalesce(handshake_since, now()) else now() end,
      handshake_attempts = case when handshake = 'Pending' then handshake_attempts else 0 end,
      version = version + case when handshake = 'Pending' then 0 else 1 end
    where tenant_id = $1 and subscription_id = $2 and status = 'Active' and handshake is not null
      and (handshake = 'Pending' or handshake_url is distinct from endpoint_url)
      and coalesce(handshake_next_at, now()) <= now() + interval '1 second'
    returning endpoint_url, rate_per_second`,
};

/** A subscription that becomes Active again has its full time again. */
const forgotten = {
  name: "webhook_handshake_forgotten",
  text: "update webhook_subscriptions set handshake_since = null where tenant_id = $1 and subscription_id = $2",
};

const recordSuccess = namedStatement(
  "webhook_handshake_succeeded",
  `update webhook_subscriptions set handshake = 'Succeeded', handshake_detail = null, handshake_next_at = null,
      handshake_attempts = handshake_attempts + 1, allowed_per_minute = $perMinute, handshake_url = endpoint_url,
      version = version + 1
    where tenant_id = $tenant and subscription_id = $subscription and endpoint_url = $url and status = 'Active'
      and handshake = 'Pending'`,
);

const recordFailure = namedStatement(
  "webhook_handshake_failed",
  `update webhook_subscriptions set handshake_detail = $detail, handshake_attempts = handshake_attempts + 1,
      version = version + 1, handshake_next_at = now() + interval '1 second'
        * ($delays::int[])[least(handshake_attempts + 1, cardinality($delays::int[]))]
    where tenant_id = $tenant and subscription_id = $subscription and endpoint_url = $url and status = 'Active'
      and handshake = 'Pending'
    returning handshake_next_at, handshake_since < now() - make_interval(hours => $hours) as hopeless`,
);

interface HandshakeServices {
  readonly database: Database;
  readonly egress: Egress;
  readonly jobs: JobQueue;
  /** Ends a subscription whose receiver has not agreed for days. */
  readonly disable: (transaction: Transaction, subscriptionId: string) => Promise<void>;
  /** The platform's address, whose host name is the origin for its webhooks. */
  readonly publicUrl: string;
}

/** Sends the handshake jobs. */
export class HandshakeStart implements HandshakeStarter {
  readonly #jobs: JobQueue;

  constructor(jobs: JobQueue) {
    this.#jobs = jobs;
  }

  async begin(transaction: Transaction, subscriptionId: string): Promise<void> {
    await this.#jobs.send(transaction, handshakeJob, { tenantId: transaction.tenant.tenantId, subscriptionId });
  }
}

/** The abuse protection in CloudEvents: a receiver must agree before the first webhook is sent to it. */
export class Handshakes {
  readonly #services: HandshakeServices;
  readonly #origin: string;

  constructor(services: HandshakeServices) {
    this.#services = services;
    this.#origin = new URL(services.publicUrl).hostname;
  }

  /** Asks the receiver once. A repetition asks again, which changes nothing at a receiver. */
  async attempt({ tenantId, subscriptionId }: HandshakePayload): Promise<void> {
    const { database, jobs, disable } = this.#services;
    const tenant = tenantWithId(tenantId);
    const cause = { trace: continueTrace(undefined), actorId: "system" };
    const subscription = decodeId("whs", subscriptionId);
    const key = [tenant.uuid, subscription];
    const [row] = await database.transaction(tenant, cause, ({ execute }) =>
      execute<{ endpoint_url: string; rate_per_second: number | null }>(waiting, key),
    );
    if (!row) return;
    const { endpoint_url: url, rate_per_second: rate } = row;
    const answer = await this.#ask(url, rate);
    const question = { tenant: tenant.uuid, subscription, url };
    await database.transaction(tenant, cause, async (transaction) => {
      if (answer.allowed) {
        await transaction.execute(recordSuccess, recordSuccess.valuesOf({ ...question, perMinute: answer.perMinute }));
        return;
      }
      const delays = { delays: delaysSeconds, hours: giveUpAfterHours };
      const values = recordFailure.valuesOf({ ...question, detail: answer.detail, ...delays });
      const [next] = await transaction.execute<{ handshake_next_at: string; hopeless: boolean }>(recordFailure, values);
      if (next?.hopeless) {
        await disable(transaction, subscriptionId);
        await transaction.execute(forgotten, key);
      } else if (next)
        await jobs.send(
          transaction,
          handshakeJob,
          { tenantId, subscriptionId },
          { startAfter: new Date(next.handshake_next_at) },
        );
    });
  }

  async #ask(url: string, rate: number | null): Promise<HandshakeAnswer> {
    const headers = {
      "webhook-request-origin": this.#origin,
      ...(rate !== null && { "webhook-request-rate": String(rate * 60) }),
    };
    const limits = { timeoutMs: totalTimeoutMs, connectTimeoutMs, maxResponseBytes: 1024 };
    try {
      const response = await this.#services.egress.request(url, { method: "OPTIONS", headers, ...limits });
      return handshakeAnswer(response, this.#origin);
    } catch (error) {
      if (error instanceof EgressBlockedError) return { allowed: false, detail: `Nothing was sent: ${error.reason}.` };
      if (error instanceof EgressFailure) return { allowed: false, detail: error.message };
      throw error;
    }
  }
}

/** A receiver's answer to a handshake. */
type HandshakeAnswer =
  | {
      readonly allowed: true;
      /** The number of webhooks a minute that the receiver allows; null for any number. */
      readonly perMinute: number | null;
    }
  | { readonly allowed: false; readonly detail: string };

const maxPerMinute = 1_000_000;

/** Reads the answer to the OPTIONS request in the CloudEvents specification for webhooks, section 4.2. */
export function handshakeAnswer({ status, headers }: EgressResponse, origin: string): HandshakeAnswer {
  if (status < 200 || status > 299) return refusal(`The receiver answered OPTIONS with the status ${status}.`);
  const allowedOrigin = single(headers["webhook-allowed-origin"]);
  if (allowedOrigin === undefined) return refusal("The answer to OPTIONS has no header WebHook-Allowed-Origin.");
  const origins = allowedOrigin.split(",").map((name) => name.trim().toLowerCase());
  if (!origins.some((name) => name === "*" || name === origin.toLowerCase()))
    return refusal(`The header WebHook-Allowed-Origin allows neither "${origin}" nor "*".`);
  const rate = single(headers["webhook-allowed-rate"])?.trim() ?? "*";
  if (rate === "*") return { allowed: true, perMinute: null };
  if (!/^[1-9]\d{0,8}$/.test(rate))
    return refusal('The header WebHook-Allowed-Rate must be a number of webhooks a minute from 1, or "*".');
  return { allowed: true, perMinute: Math.min(Number(rate), maxPerMinute) };
}

const refusal = (detail: string): HandshakeAnswer => ({ allowed: false, detail });

const single = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);
