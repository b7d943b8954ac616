import type { Verifier } from "@factory/runtime/auth/authenticate";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { authenticatedCall } from "@factory/runtime/grpc/authenticated-call";
import type { CallFacts, ServiceCallContext } from "@factory/runtime/grpc/call-boundary";
import { type GrpcService, grpcService } from "@factory/runtime/grpc/grpc-service";
import { serviceIdentities } from "@factory/runtime/grpc/service-identity";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, requireSameTenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import { EntitlementsDefinition as UnpackagedDefinition } from "@factory/schema/proto/generated/factory/entitlements";
import {
  type CheckRequest,
  type CheckResponse,
  type DeepPartial,
  EntitlementsDefinition,
  type EntitlementsServiceImplementation,
  Reason,
} from "@factory/schema/proto/generated/factory/spine/v1/entitlements";
import type { EntitlementReason } from "@factory/schema/vocabularies/plans";
import { checkedOrder } from "./check-order.js";
import type { Entitlement } from "./entitlement.js";
import type { EntitlementService } from "./entitlement.service.js";

const maxChecks = 100;
const ttlSeconds = 30;

/**
 * The gRPC service spine.v1.Entitlements, which has a second path without a package. Every service with a platform
 * certificate may call it, with a token for the tenant that it asks about.
 */
export function entitlementEndpoints(entitlements: EntitlementService, verifier: Verifier): GrpcService[] {
  const check = async (context: RequestContext, request: CheckRequest, pointer = "") => {
    requireSameTenant(context, request.tenantId === "" ? undefined : request.tenantId);
    const order = checkedOrder(request, pointer);
    return responseOf(await entitlements.check(questionOf(context), order));
  };
  const withToken = <T>(call: ServiceCallContext, work: (context: RequestContext) => Promise<T>) =>
    authenticatedCall(call, verifier, ["entitlement.check"], work);
  const direct = {
    check: (request: CheckRequest, call: ServiceCallContext) => withToken(call, (context) => check(context, request)),
  };
  const implementation: EntitlementsServiceImplementation<CallFacts> = {
    ...direct,
    checkMany: ({ checks }, call) =>
      withToken(call, async (context) => {
        if (checks.length > maxChecks)
          throw new DomainError("VALIDATION_FAILED", {
            detail: `The request has ${checks.length} checks. At most ${maxChecks} are allowed.`,
          });
        const results: DeepPartial<CheckResponse>[] = [];
        // one after the other, so that one call takes no more connections than any other
        for (const [at, checkRequest] of checks.entries())
          results.push(await check(context, checkRequest, `/checks/${at}`));
        return { results };
      }),
    release: ({ tenantId, featureKey, idempotencyKey }, call) =>
      withToken(call, async (context) => {
        requireSameTenant(context, tenantId === "" ? undefined : tenantId);
        const order = checkedOrder({ featureKey, idempotencyKey, subjectId: "", consume: true });
        return { released: await entitlements.giveBack(questionOf(context), order) };
      }),
  };
  return [
    grpcService(EntitlementsDefinition, implementation, serviceIdentities, direct),
    grpcService(UnpackagedDefinition, implementation, serviceIdentities, direct),
  ];
}

function questionOf(context: RequestContext) {
  const principal = principalOf(context);
  const cause = { trace: context.trace, actorId: principal.subject, principal };
  return { tenant: tenantOf(context), cause, consumer: "product" as const };
}

const reasons: Readonly<Record<EntitlementReason, Reason>> = {
  Entitled: Reason.REASON_ENTITLED,
  SoftLimitExceeded: Reason.REASON_SOFT_LIMIT_EXCEEDED,
  FeatureNotInEdition: Reason.REASON_FEATURE_NOT_IN_EDITION,
  FeatureUnknown: Reason.REASON_FEATURE_UNKNOWN,
  LimitReached: Reason.REASON_LIMIT_REACHED,
  SubscriptionInactive: Reason.REASON_SUBSCRIPTION_INACTIVE,
};

/** Written without spreading objects, since products check very often. */
function responseOf(answer: Entitlement): DeepPartial<CheckResponse> {
  return {
    allowed: answer.allowed,
    reason: reasons[answer.reason],
    limit: answer.limit,
    currentUsage: answer.currentUsage,
    remaining: answer.remaining,
    resetAt: answer.resetAt?.toISOString() ?? "",
    softLimit: answer.softLimit,
    editionCode: answer.editionCode,
    ttlSeconds,
    configJson: answer.config === undefined ? "" : JSON.stringify(answer.config),
    featureKey: answer.featureKey,
  };
}
