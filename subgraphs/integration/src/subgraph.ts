import { openPool } from "@factory/runtime/connections/pool";
import { Retention, type RetentionRule } from "@factory/runtime/db/retention";
import { createEgress, type EgressOptions } from "@factory/runtime/egress/egress";
import type { GrpcService } from "@factory/runtime/grpc/grpc-service";
import type { JobOperations } from "@factory/runtime/jobs/administration/job-operations";
import { JobService } from "@factory/runtime/jobs/job.service";
import type { RelayLag } from "@factory/runtime/outbox/relay";
import { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { type SubgraphHost, SubgraphResources } from "@factory/runtime/subgraph/resources";
import type { GraphQLSchema } from "graphql";
import { CredentialService } from "./credentials/credential.service.js";
import { CredentialRewrapping } from "./credentials/credential-rewrapper.js";
import { SecretVault } from "./credentials/secret-vault.js";
import { eventLogRetention } from "./event-log/event-log.retention.js";
import { EventLogService } from "./event-log/event-log.service.js";
import { EventFeedService } from "./events/event-feed.service.js";
import { EventHub } from "./events/event-hub.js";
import type { QueueLimits } from "./events/subscriber-queue.js";
import { ProviderService } from "./providers/provider.service.js";
import { ProviderLifecycleService } from "./providers/provider-lifecycle.service.js";
import { ProviderListService } from "./providers/provider-list.service.js";
import { integrationSchema } from "./schema.js";
import { secretEndpoint } from "./secrets/secret.endpoint.js";
import { SecretService } from "./secrets/secret.service.js";
import { integrationTables } from "./tables.js";
import { AttemptRecords } from "./webhook-dispatch/attempt-records.js";
import { WebhookTargets } from "./webhook-dispatch/delivery-target.js";
import { WebhookClaims } from "./webhook-dispatch/message-claims.js";
import { LyingMessages } from "./webhook-dispatch/overdue-messages.js";
import { defaultRetryDelaysMs } from "./webhook-dispatch/retry-schedule.js";
import { WebhookDispatcher } from "./webhook-dispatch/webhook-dispatcher.js";
import { breakerRetention, messageRetention } from "./webhook-messages/webhook-message.retention.js";
import { WebhookMessageService } from "./webhook-messages/webhook-message.service.js";
import { WebhookSubscriptionService } from "./webhook-subscriptions/webhook-subscription.service.js";

export interface IntegrationSettings {
  /** Credentials are sealed under them. */
  readonly masterKeys: MasterKeys;
  /** Webhooks and base URLs may point at this machine. */
  readonly allowLoopback: boolean;
  readonly allowPrivateCidrs?: readonly string[];
  /** Every port when absent. */
  readonly allowedPorts?: readonly number[];
  /** Webhook endpoints must be https. */
  readonly httpsOnly?: boolean;
  /** Delay before each webhook attempt; as many attempts as delays. */
  readonly retryDelaysMs?: readonly number[];
  /** How long webhook messages and their attempts are kept after they have ended; 30 unless said otherwise, at least 1. */
  readonly webhookRetentionDays?: number;
  /** What one subscriber of `events` may leave untaken. */
  readonly subscriberBounds?: QueueLimits;
}

export interface Integration {
  readonly schema: GraphQLSchema;
  /** For the gRPC server of the process this runs in. */
  readonly grpcServices: readonly GrpcService[];
  readonly relay: RelayLag;
  /** For the operator. */
  readonly jobs: JobOperations;
  /** Rejects while the database does not answer. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** Until the dispatcher came, an attempt was a job; the messages themselves say what is due. */
const formerAttemptQueue = "integration.webhook-attempt";
const eventLogGroup = "integration.event-log";
const defaultBounds: QueueLimits = { maxEvents: 1000, maxBytes: 1024 * 1024 };

export async function startIntegration(host: SubgraphHost, settings: IntegrationSettings): Promise<Integration> {
  const { logger } = host;
  const resources = await SubgraphResources.open(host, integrationTables, []);
  const { database, jobs, listener } = resources;
  const pool = openPool(host.connections.worker, 2, host.logger);
  const egress = createEgress(egressOptions(settings));
  const hub = new EventHub(pool, logger);
  const retention = new Retention(host.connections.worker, logger, retentionRules(settings));
  const claims = new WebhookClaims(host.connections.worker, logger);
  let dispatcher: WebhookDispatcher | undefined;
  let rewrapping: CredentialRewrapping | undefined;
  const close = async () => {
    // first: it writes what its attempts came to
    await dispatcher?.stop();
    await rewrapping?.stop();
    await retention.stop();
    await hub.stop();
    await resources.close();
    await egress.close();
    await claims.close();
    await pool.end();
  };
  try {
    await jobs.remove(formerAttemptQueue);
    const vault = new SecretVault(settings.masterKeys);
    const credentials = new CredentialService(database, vault);
    rewrapping = new CredentialRewrapping({ database, pool, vault, logger });
    void rewrapping.start();
    const providers = new ProviderService(database, egress);
    const cursors = new CursorSeal(settings.masterKeys.keyring("list cursors"));
    const providerLists = new ProviderListService(database, cursors);
    const providerLifecycle = new ProviderLifecycleService(database);
    const httpsOnly = settings.httpsOnly ?? false;
    const subscriptions = new WebhookSubscriptionService({ database, credentials, egress, httpsOnly });
    dispatcher = new WebhookDispatcher({
      claims,
      targets: new WebhookTargets(database, credentials),
      records: new AttemptRecords(database, subscriptions, logger),
      egress,
      retryDelaysMs: settings.retryDelaysMs ?? defaultRetryDelaysMs,
      logger,
    });
    resources.sweeper.add(new LyingMessages(pool, dispatcher));
    const messages = new WebhookMessageService(database, subscriptions, dispatcher);
    const log = new EventLogService(database, messages);
    await hub.start(listener);
    await dispatcher.start();
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
      jobs: resources.operations(),
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

export function retentionRules({ webhookRetentionDays = 30 }: Partial<IntegrationSettings>): readonly RetentionRule[] {
  return [eventLogRetention, messageRetention(webhookRetentionDays), breakerRetention];
}

function egressOptions({ allowLoopback, allowPrivateCidrs = [], allowedPorts }: IntegrationSettings): EgressOptions {
  return { allowLoopback, allowPrivateCidrs, ...(allowedPorts === undefined ? {} : { allowedPorts }) };
}
