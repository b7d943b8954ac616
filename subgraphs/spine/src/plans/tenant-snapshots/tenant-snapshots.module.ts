import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { tenantSnapshotEndpoint } from "./tenant-snapshot.endpoint.js";
import { TenantSnapshotService } from "./tenant-snapshot.service.js";

/** The facts of tenants for the copies of other subgraphs, over gRPC. */
export const tenantSnapshots: SliceModule = {
  slice: "tenant-snapshots",
  start({ database }, services) {
    services.add(new TenantSnapshotService(database));
  },
  grpcServices: (get) => [tenantSnapshotEndpoint(get(TenantSnapshotService))],
};
