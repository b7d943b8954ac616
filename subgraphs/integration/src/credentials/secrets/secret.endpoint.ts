import { type GrpcService, grpcService } from "@factory/runtime/grpc/grpc-service";
import { SecretsDefinition } from "@factory/schema/proto/generated/factory/integration/v1/secrets";
import type { SecretService } from "./secret.service.js";

/**
 * The gRPC service integration.v1.Secrets. Only the catalog may call it, because only the catalog uses tenants'
 * secrets.
 */
export function secretEndpoint(secrets: SecretService): GrpcService {
  return grpcService(
    SecretsDefinition,
    {
      async resolve(request, context) {
        const { kind, version, material } = await secrets.resolve(request, context);
        return { kind, version, material: Buffer.from(JSON.stringify(material)) };
      },
    },
    ["catalog"],
  );
}
