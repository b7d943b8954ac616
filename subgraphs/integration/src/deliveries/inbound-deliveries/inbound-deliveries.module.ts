import { openPool } from "@factory/runtime/connections/pool";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { PlatformLimits } from "@factory/runtime/platform-limits/platform-limits";
import { wrappedKeyTable } from "@factory/runtime/resealing/sealed-table";
import { EnvelopeSeal } from "@factory/runtime/sealing/envelope-seal";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { FactsOfTenant } from "@factory/runtime/tenant-facts/facts-of-tenant";
import { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import { secretStore } from "../../credentials/credentials/secret-store.js";
import { egressService } from "../../ground/egress/egress-service.js";
import { KeySets } from "../../providers/inbound-signatures/key-sets.js";
import { normalizedEventType } from "../../providers/normalized-events/normalized-event-type.js";
import { CandidateCache } from "../inbound-candidates/candidate-cache.js";
import { OpenSecrets } from "../inbound-candidates/open-secrets.js";
import { RefusalTrace } from "../refused-deliveries/refusal-trace.js";
import { AmbiguityAlarm } from "./ambiguity-alarm.js";
import { BodyRooms } from "./body-rooms.js";
import { DeliveryIntake, type NormalizeEvent } from "./delivery-intake.js";
import { DeliveryRecorder } from "./delivery-recorder.js";
import { DeliveryRecords, payloadOwner } from "./delivery-records.js";
import { DeliveryLimits } from "./intake-limits.js";
import { IntakeCounts, IntakePort } from "./intake-port.js";
import { RefusedByResource } from "./refused-by-resource.js";
import { SignatureVerifier } from "./signature-verifier.js";
import { WebhookDelivery } from "./webhook-delivery.entity.js";
import { WebhookDeliveryResolver } from "./webhook-delivery.resolver.js";
import { deliveryRetention } from "./webhook-delivery.retention.js";
import { WebhookDeliveryService } from "./webhook-delivery.service.js";
import { readWebhookDeliveries } from "./webhook-delivery.type.js";

export interface InboundDeliverySettings {
  /** Payloads are sealed under them. */
  readonly masterKeys: MasterKeys;
  /** The address that vendors call, without a slash at its end. Some vendors sign it. */
  readonly publicUrl?: string;
  /** The factor for the limits on deliveries. */
  readonly rateLimitFactor?: number;
  /** The limits across all processes. Absent: this is the only one. */
  readonly limits?: Pick<PlatformLimits, "budgets">;
  /** How long deliveries are kept. The default is 30, the least is 1. */
  readonly deliveryRetentionDays?: number;
  readonly clock?: () => Date;
}

const label = "factory integration webhook deliveries";
/** Connections for looking up deliveries whose tenant is not known yet. */
const lookupConnections = 2;

/** Vendors' deliveries: their verification and their record. */
export const inboundDeliveries: SliceModule<InboundDeliverySettings> = {
  slice: "inbound-deliveries",
  entities: [WebhookDelivery],
  foreignKeys: {
    "webhook_deliveries.provider_id": {
      to: null,
      why: "A provider is never deleted, and the key would lock the row of the provider for each delivery.",
    },
    "webhook_deliveries.subscription_id": {
      to: null,
      why: "The delivery outlives the subscription, whose secret has verified it.",
    },
    "webhook_deliveries.connection_id": {
      to: null,
      why: "The delivery outlives the connection, whose secret has verified it.",
    },
    "webhook_deliveries.run_id": { to: null, why: "The run is written in the same transaction and is kept as long." },
  },
  events: ["WebhookDeliveryReceived"],
  async start({ settings, database, connections, listener, cursors, refusals, logger, onClose }, services) {
    const { masterKeys, publicUrl = "http://127.0.0.1:4000", rateLimitFactor = 1, clock = () => new Date() } = settings;
    const facts = services.get(TenantFacts);
    const workers = openPool(connections.worker, lookupConnections, logger);
    onClose(() => workers.end());
    const cache = new CandidateCache(workers);
    const secrets = new OpenSecrets({ workers, store: services.get(secretStore), clock });
    await cache.listen(listener);
    await secrets.listen(listener);
    const seal = new EnvelopeSeal(masterKeys.keyring(label));
    const recorder = new DeliveryRecorder(services.add(new DeliveryRecords(database, seal)));
    const counts = services.add(new IntakeCounts());
    const limits = new DeliveryLimits(facts, rateLimitFactor, settings.limits?.budgets);
    const intake = new DeliveryIntake({
      cache,
      verifier: new SignatureVerifier(
        { secrets, keySets: new KeySets(services.get(egressService), clock), holders: cache },
        clock,
      ),
      limits,
      recorder,
      normalize: normalizer(facts),
      alarm: new AmbiguityAlarm(refusals, logger),
      refused: new RefusedByResource({ cache, limits, trace: services.get(RefusalTrace), clock }),
      rooms: new BodyRooms(),
      clock,
      publicUrl,
      logger,
    });
    services.add(new IntakePort(intake, counts));
    services.add(new WebhookDeliveryService({ database, cursors, seal }));
  },
  resolvers: (get) => [new WebhookDeliveryResolver(get(WebhookDeliveryService), get(IntakePort))],
  links: {
    "AcceptedWebhookDelivery.deliveryId": { to: "WebhookDelivery" },
    "IngestedWebhookDelivery.deliveryId": { to: "WebhookDelivery" },
    "WebhookDelivery.connectionId": { to: "Connection" },
    "WebhookDelivery.providerId": { to: "Provider", as: "sender" },
    "WebhookDelivery.runId": { to: "Run" },
    "WebhookDelivery.subscriptionId": { to: "WebhookSubscription" },
  },
  references(get) {
    const service = get(WebhookDeliveryService);
    return {
      WebhookDelivery: {
        id: { prefix: "whd", field: "deliveryId" },
        auth: readWebhookDeliveries,
        resolve: ({ deliveryId = "" }, context) => service.find(context, deliveryId),
      },
    };
  },
  sealedTables({ masterKeys }) {
    const seal = new EnvelopeSeal(masterKeys.keyring(label));
    return [
      wrappedKeyTable({
        label,
        table: "webhook_deliveries",
        key: { tenant_id: "uuid", delivery_id: "uuid" },
        newestKeyId: seal.newestKeyId,
        rewrapped: (wrapping, { tenant_id: tenant = "", delivery_id: delivery = "" }) =>
          seal.rewrapped(wrapping, payloadOwner(encodeId("ten", tenant), encodeId("whd", delivery))),
      }),
    ];
  },
  retention: ({ deliveryRetentionDays = 30 }) => [deliveryRetention(deliveryRetentionDays)],
};

/** A tenant whose settings cannot be read now has the platform's names. */
function normalizer(facts: TenantFacts): NormalizeEvent {
  return async ({ tenant, providerKey: key, preset }, names) => {
    const settings = await facts.of(tenant.tenantId).catch(() => new FactsOfTenant(undefined, undefined));
    return names.map(({ event, action }) => normalizedEventType(settings, { key, preset }, event, action));
  };
}
