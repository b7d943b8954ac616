import type { Verifier } from "@factory/runtime/auth/authenticate";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { authenticatedCall } from "@factory/runtime/grpc/authenticated-call";
import type { ServiceCallContext } from "@factory/runtime/grpc/call-boundary";
import { PromotionDefinition } from "@factory/runtime/grpc/generated/factory/catalog/v1/promotion";
import { type GrpcService, grpcService } from "@factory/runtime/grpc/grpc-service";
import { serviceIdentities } from "@factory/runtime/grpc/service-identity";
import { type CommandType, commandTypes } from "@factory/schema/command-names";
import type { LibraryImportService } from "../libraries/library-import.service.js";
import { checkedImport } from "./command-data.js";
import type { Promotions } from "./promotions.js";

interface PromotionServices {
  readonly promotions: Promotions;
  readonly imports: LibraryImportService;
  readonly verifier: Verifier;
}

/** factory.catalog.v1.Promotion. Any service of the platform may call; its caller's token decides. */
export function promotionEndpoint({ promotions, imports, verifier }: PromotionServices): GrpcService {
  const promote = <C extends CommandType>(type: C, request: object, call: ServiceCallContext) =>
    authenticatedCall(call, verifier, commandTypes[type].scopes, (context) =>
      promotions.carryOut(type, context, request),
    );
  return grpcService(
    PromotionDefinition,
    {
      async publishTemplateVersion(request, call) {
        return { templateVersion: await promote("PublishTemplateVersion", request, call) };
      },
      async deprecateTemplateVersion(request, call) {
        return { templateVersion: await promote("DeprecateTemplateVersion", request, call) };
      },
      async publishLibraryVersion(request, call) {
        return { libraryVersion: await promote("PublishLibraryVersion", request, call) };
      },
      async deprecateLibraryVersion(request, call) {
        return { libraryVersion: await promote("DeprecateLibraryVersion", request, call) };
      },
      async retireLibraryVersion(request, call) {
        return { libraryVersion: await promote("RetireLibraryVersion", request, call) };
      },
      importLibraryPackage: (request, call) =>
        authenticatedCall(call, verifier, ["libraries.write"], async (context) => {
          const { library, version, warnings } = await imports.importPackage(context, checkedImport(request));
          return { libraryVersion: version, packageName: library.packageName, warnings };
        }),
      upgradeAdvice: (_request, call) =>
        authenticatedCall(call, verifier, ["libraries.read"], async () => {
          throw new DomainError("NOT_SUPPORTED", { detail: "UpgradeAdvice is not served by this release." });
        }),
    },
    serviceIdentities,
  );
}
