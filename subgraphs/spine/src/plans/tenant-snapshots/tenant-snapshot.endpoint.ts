import { type GrpcService, grpcService } from "@factory/runtime/grpc/grpc-service";
import { TenantsDefinition } from "@factory/schema/proto/generated/factory/spine/v1/tenants";
import type { TenantSnapshotService } from "./tenant-snapshot.service.js";

/** The gRPC service spine.v1.Tenants, for platform parts that act on tenants' settings. */
export function tenantSnapshotEndpoint(snapshots: TenantSnapshotService): GrpcService {
  return grpcService(
    TenantsDefinition,
    {
      snapshots: (request, { trace }) => snapshots.snapshots(request, trace),
      editions: (request, { trace }) => snapshots.editions(request, trace),
    },
    ["catalog", "integration", "gateway"],
  );
}
