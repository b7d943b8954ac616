import type { Verifier } from "@factory/runtime/auth/authenticate";
import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { type GrpcService, grpcService } from "@factory/runtime/grpc/grpc-service";
import { serviceIdentities } from "@factory/runtime/grpc/service-identity";
import type { ErrorCode } from "@factory/schema/error-codes";
import {
  type DeepPartial,
  type IntrospectResponse,
  TokensDefinition,
} from "@factory/schema/proto/generated/factory/spine/v1/tokens";

/** A verifier's refusals that say something about the token. Any other one says that nothing was verified. */
const inactiveCodes: readonly ErrorCode[] = ["TOKEN_INVALID", "TOKEN_EXPIRED", "TENANT_SUSPENDED", "TENANT_UNKNOWN"];

/**
 * The gRPC service spine.v1.Tokens. It answers as the platform's verifiers do: a revocation counts after a second at
 * the latest.
 */
export function tokenEndpoint(verifier: Verifier): GrpcService {
  return grpcService(
    TokensDefinition,
    {
      async introspect({ token }) {
        if (token === "")
          throw new DomainError("VALIDATION_FAILED", {
            detail: "The token is empty. Send an access token of the platform.",
            errors: [{ pointer: "/token", code: "REQUIRED", detail: "The access token to look at." }],
          });
        try {
          return activeToken(await verifier.verify(token), token);
        } catch (error) {
          if (error instanceof DomainError && inactiveCodes.includes(error.code)) return { active: false };
          throw error;
        }
      },
    },
    serviceIdentities,
  );
}

function activeToken(principal: Principal, token: string): DeepPartial<IntrospectResponse> {
  const { tenantId = "", tenantSlug = "", editionCode = "", agentTaskId = "", actors = [] } = principal;
  const { subject, clientId, principalType, tokenId, platformAdmin, expiresAt } = principal;
  return {
    ...{ active: true, subject, clientId, principalType, tokenId, platformAdmin, expiresAt },
    ...{ tenantId, tenantSlug, editionCode, agentTaskId, actors: [...actors] },
    scopes: [...principal.scopes],
    roles: [...principal.roles],
    issuedAt: issuedAt(token),
  };
}

/** The claim `iat` in a verified token. */
function issuedAt(token: string): number {
  const [, payload = ""] = token.split(".");
  return (JSON.parse(Buffer.from(payload, "base64url").toString()) as { iat: number }).iat;
}
