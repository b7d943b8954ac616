import type { Verifier } from "@factory/runtime/auth/authenticate";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { authenticatedCall } from "@factory/runtime/grpc/authenticated-call";
import type { ServiceCallContext } from "@factory/runtime/grpc/call-boundary";
import { type GrpcService, grpcService } from "@factory/runtime/grpc/grpc-service";
import { platformIdentities } from "@factory/runtime/grpc/service-identity";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { commandTypes } from "@factory/schema/command-names";
import { PromotionDefinition } from "@factory/schema/proto/generated/factory/catalog/v1/promotion";
import type { Scope } from "@factory/schema/scopes";
import type { CompatibilityService } from "../compatibility/compatibility/compatibility.service.js";
import type { DependencyScanService } from "../compatibility/dependency-scans/dependency-scan.service.js";
import type { LibraryImportService } from "../libraries/libraries/library-import.service.js";
import { checkedImport, checkedScanRequest } from "./command-data.js";
import type { Promotions, PromotionType } from "./promotions.js";
import { scanAnswer } from "./scan-answer.js";
import { upgradeAnswer } from "./upgrade-answer.js";

interface PromotionServices {
  readonly promotions: Promotions;
  readonly imports: LibraryImportService;
  readonly scans: DependencyScanService;
  readonly compatibility: CompatibilityService;
  readonly verifier: Verifier;
  /** Aborted when the catalog stops. The gRPC server stops later and may still accept calls. */
  readonly stopping: AbortSignal;
}

/**
 * The gRPC service factory.catalog.v1.Promotion. Any platform service may call it. The access token decides what is
 * allowed.
 */
export function promotionEndpoint({
  promotions,
  imports,
  scans,
  compatibility,
  verifier,
  stopping,
}: PromotionServices): GrpcService {
  const authorizedCall = <T>(
    call: ServiceCallContext,
    scopes: readonly Scope[],
    work: (context: RequestContext) => Promise<T>,
  ) => {
    if (stopping.aborted) throw new DomainError("UNAVAILABLE", { detail: "The catalog is stopping. Try again later." });
    return authenticatedCall(call, verifier, scopes, work);
  };
  const promote = async <C extends PromotionType>(type: C, request: object, call: ServiceCallContext) =>
    authorizedCall(call, commandTypes[type].scopes, (context) => promotions.execute(type, context, request));
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
      importLibraryPackage: async (request, call) =>
        authorizedCall(call, commandTypes.ImportLibraryPackage.scopes, async (context) => {
          const { library, version, warnings } = await imports.importPackage(context, checkedImport(request));
          return { libraryVersion: version, packageName: library.packageName, warnings };
        }),
      scanDependencies: async (request, call) =>
        authorizedCall(call, ["templates.execute"], async (context) =>
          scanAnswer(await scans.scan(context, checkedScanRequest(request))),
        ),
      upgradeAdvice: async ({ runtime, libraries }, call) =>
        authorizedCall(call, ["libraries.read"], async (context) =>
          upgradeAnswer(await compatibility.upgrades(context, runtime, libraries)),
        ),
    },
    platformIdentities,
  );
}
