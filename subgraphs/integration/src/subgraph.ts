import { openPool } from "@factory/runtime/db/pool";
import { Retention } from "@factory/runtime/db/retention";
import { createEgress, type EgressOptions } from "@factory/runtime/egress/egress";
import type { GrpcService } from "@factory/runtime/grpc/grpc-service";
import { JobService } from "@factory/runtime/jobs/job.service";
import { maintenance } from "@factory/runtime/jobs/job-definition";
import type { RelayLag } from "@factory/runtime/outbox/relay";
import { CursorSeal } from "@factory/runtime/pagination/cursor";
import { type SubgraphHost, SubgraphResources } from "@factory/runtime/subgraph/resources";
import type { GraphQLSchema } from "graphql";
import { CredentialService } from "./credentials/credential.service.js";
import { SecretVault } from "./credentials/secret-vault.js";
import { derivedKey } from "./derived-key.js";
import { eventLogRetention } from "./event-log/event-log.retention.js";
import { EventLogService } from "./event-log/event-log.service.js";
import { EventFeedService } from "./events/event-feed.service.js";
import { EventHub } from "./events/event-hub.js";
import type { QueueBounds } from "./events/event-queue.js";
import { ProviderService } from "./providers/provider.service.js";
import { ProviderLifecycleService } from "./providers/provider-lifecycle.service.js";
import { ProviderListService } from "./providers/provider-list.service.js";
import { integrationSchema } from "./schema.js";
import { secretEndpoint } from "./secrets/secret.endpoint.js";
import { SecretService } from "./secrets/secret.service.js";
import { integrationTables } from "./tables.js";
import { defaultRetryDelaysMs } from "./webhook-messages/retry-schedule.js";
import { WebhookAttemptRunner } from "./webhook-messages/webhook-attempt.runner.js";
import { WebhookMessageService, webhookAttemptJob } from "./webhook-messages/webhook-message.service.js";
import { WebhookSubscriptionService } from "./webhook-subscriptions/webhook-subscription.service.js";

export interface IntegrationSettings {
  /** SECRETS_KEY, 32 bytes or more: credentials are sealed under it. */
  readonly secretsKey: Buffer;
  /** Webhooks and base URLs may point at this machine. */
  readonly allowLoopback: boolean;
  readonly allowPrivateCidrs?: readonly string[];
  /** Every port when absent. */
  readonly allowedPorts?: readonly number[];
  /** Webhook endpoints must be https. */
  readonly httpsOnly?: boolean;
  /** Delay before each webhook attempt; as many attempts as delays. */
  readonly retryDelaysMs?: readonly number[];
  /** What one subscriber of `events` may leave untaken. */
  readonly subscriberBounds?: QueueBounds;
}

export interface Integration {
  readonly schema: GraphQLSchema;
  /** For the gRPC server of the process this runs in. */
  readonly grpcServices: readonly GrpcService[];
  readonly relay: RelayLag;
  /** Rejects while the database does not answer. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

const eventLogGroup = "integration.event-log";
const defaultBounds: QueueBounds = { maxEvents: 1000, maxBytes: 1024 * 1024 };

export async function startIntegration(host: SubgraphHost, settings: IntegrationSettings): Promise<Integration> {
  const { logger } = host;
  const resources = await SubgraphResources.open(host, integrationTables, [webhookAttemptJob]);
  const { database, jobs, listener } = resources;
  const pool = openPool(host.connections.worker, 2, host.logger);
  const egress = createEgress(egressOptions(settings));
  const hub = new EventHub(pool, logger);
  const retention = new Retention(host.connections.worker, logger, [eventLogRetention]);
  const close = async () => {
    await retention.stop();
    await hub.stop();
    await resources.close();
    await egress.close();
    await pool.end();
  };
  try {
    const credentials = new CredentialService(database, new SecretVault(settings.secretsKey));
    const providers = new ProviderService(database, egress);
    const cursors = new CursorSeal(derivedKey(settings.secretsKey, "list cursors"));
    const providerLists = new ProviderListService(database, cursors);
    const providerLifecycle = new ProviderLifecycleService(database);
    const httpsOnly = settings.httpsOnly ?? false;
    const subscriptions = new WebhookSubscriptionService({ database, credentials, egress, httpsOnly });
    const messages = new WebhookMessageService(database, jobs, subscriptions);
    const retryDelaysMs = settings.retryDelaysMs ?? defaultRetryDelaysMs;
    const runner = new WebhookAttemptRunner({ database, egress, messages, subscriptions, credentials, retryDelaysMs });
    await jobs.work(webhookAttemptJob, (payload, { signal }) => runner.run(payload, signal), maintenance);
    const log = new EventLogService(database, messages);
    await hub.start(listener);
    await resources.consume({ group: eventLogGroup, handle: (batch) => log.take(batch) });
    const feeds = new EventFeedService({ log, hub, bounds: settings.subscriberBounds ?? defaultBounds, logger });
    const providerServices = { providers, providerLists, providerLifecycle };
    return {
      schema: integrationSchema(
        {
          jobs: new JobService(database, jobs, cursors),
          ...providerServices,
          credentials,
          subscriptions,
          messages,
          feeds,
        },
        logger,
      ).schema,
      grpcServices: [secretEndpoint(new SecretService(credentials, logger))],
      relay: resources.relay,
      async ready() {
        await pool.query("select");
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function egressOptions({ allowLoopback, allowPrivateCidrs = [], allowedPorts }: IntegrationSettings): EgressOptions {
  return { allowLoopback, allowPrivateCidrs, ...(allowedPorts === undefined ? {} : { allowedPorts }) };
}
