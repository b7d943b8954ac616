import { authorize } from "@factory/runtime/graphql/guard";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import { type IdPrefix } from "@factory/schema/id-prefixes";
import type { ConnectionService } from "../../connections/connections/connection.service.js";
import { ConnectionType, readConnections } from "../../connections/connections/connection.type.js";
import type { CredentialService } from "../../credentials/credentials/credential.service.js";
import { CredentialType, readCredentials } from "../../credentials/credentials/credential.type.js";
import type { WebhookDeliveryService } from "../../deliveries/inbound-deliveries/webhook-delivery.service.js";
import {
  readWebhookDeliveries,
  WebhookDeliveryType,
} from "../../deliveries/inbound-deliveries/webhook-delivery.type.js";
import type { ProviderService } from "../../providers/providers/provider.service.js";
import { ProviderType, readProviders } from "../../providers/providers/provider.type.js";
import type { RunService } from "../../runs/run.service.js";
import { RunType, readRuns } from "../../runs/run.type.js";
import type { WebhookSubscriptionService } from "../../webhooks/webhook-subscriptions/webhook-subscription.service.js";
import {
  readWebhookSubscriptions,
  WebhookSubscriptionType,
} from "../../webhooks/webhook-subscriptions/webhook-subscription.type.js";
import {
  ApprovalReference,
  CompatibilityMatrixReference,
  DependencyScanReference,
  ExecutionReference,
  InvitationReference,
  LibraryReference,
  NotificationReference,
  OAuthClientReference,
  PlanSubscriptionReference,
  ReportRunReference,
  RoleReference,
  TemplateReference,
  TemplateVersionReference,
  TenantReference,
  UserReference,
} from "./event-subject.type.js";

type Resolve = (id: string, context: RequestContext) => object | Promise<object | null>;

/** Resources whose ids have another resource's prefix. Runs in the spine are `run_` too. */
const ofResource: Readonly<Record<string, Resolve | undefined>> = {
  "report-runs": (reportRunId) => Object.assign(new ReportRunReference(), { reportRunId }),
};

/** An instance of the class, because the union finds a value's type by its class. */
function instance<T extends object>(type: new () => T, fields: object | undefined): T | null {
  return fields ? Object.assign(new type(), fields) : null;
}

/**
 * Resolves an event's subject `<resource>/<id>`: a reference for types in other subgraphs, the object for types in this
 * one.
 */
export class SubjectReferences {
  readonly #resolvers: Partial<Record<IdPrefix, Resolve>>;

  constructor(services: {
    providers: ProviderService;
    connections: ConnectionService;
    credentials: CredentialService;
    runs: RunService;
    deliveries: WebhookDeliveryService;
    subscriptions: WebhookSubscriptionService;
  }) {
    this.#resolvers = {
      tpl: (templateId) => Object.assign(new TemplateReference(), { templateId }),
      tpv: (templateVersionId) => Object.assign(new TemplateVersionReference(), { templateVersionId }),
      exe: (executionId) => Object.assign(new ExecutionReference(), { executionId }),
      lib: (libraryId) => Object.assign(new LibraryReference(), { libraryId }),
      mtx: (matrixId) => Object.assign(new CompatibilityMatrixReference(), { matrixId }),
      scn: (dependencyScanId) => Object.assign(new DependencyScanReference(), { dependencyScanId }),
      ten: (tenantId) => Object.assign(new TenantReference(), { tenantId }),
      usr: (userId) => Object.assign(new UserReference(), { userId }),
      inv: (invitationId) => Object.assign(new InvitationReference(), { invitationId }),
      rol: (roleId) => Object.assign(new RoleReference(), { roleId }),
      cli: (clientId) => Object.assign(new OAuthClientReference(), { clientId }),
      apr: (approvalId) => Object.assign(new ApprovalReference(), { approvalId }),
      sub: (subscriptionId) => Object.assign(new PlanSubscriptionReference(), { subscriptionId }),
      ntf: (notificationId) => Object.assign(new NotificationReference(), { notificationId }),
      prv: async (id, context) => {
        authorize(readProviders, context);
        return instance(ProviderType, await services.providers.find(context, id));
      },
      con: async (id, context) => {
        authorize(readConnections, context);
        return instance(ConnectionType, await services.connections.find(context, id));
      },
      crd: async (id, context) => {
        authorize(readCredentials, context);
        return instance(CredentialType, await services.credentials.find(context, id));
      },
      run: async (id, context) => {
        authorize(readRuns, context);
        return instance(RunType, await services.runs.find(tenantOf(context), id));
      },
      whd: async (id, context) => {
        authorize(readWebhookDeliveries, context);
        return instance(WebhookDeliveryType, await services.deliveries.find(context, id));
      },
      whs: async (id, context) => {
        authorize(readWebhookSubscriptions, context);
        return instance(WebhookSubscriptionType, await services.subscriptions.find(context, id));
      },
    };
  }

  /**
   * Null when the subject has no type with a key, or no longer exists. In a path, the last resource with a key is used.
   */
  async resolve(subjectPath: string, context: RequestContext): Promise<object | null> {
    const segments = subjectPath.split("/");
    for (const [at, segment] of [...segments.entries()].reverse()) {
      const prefix = segment.slice(0, 3) as IdPrefix;
      const resolve = ofResource[segments[at - 1] ?? ""] ?? this.#resolvers[prefix];
      if (resolve && decodeId(prefix, segment) !== undefined) return resolve(segment, context);
    }
    return null;
  }
}
