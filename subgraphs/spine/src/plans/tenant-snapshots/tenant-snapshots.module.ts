import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { tenantSnapshotEndpoint } from "./tenant-snapshot.endpoint.js";
import { TenantSnapshotService } from "./tenant-snapshot.service.js";

/** The tenants' facts for the copies in other subgraphs, over gRPC. */
export const tenantSnapshots: SliceModule = {
  slice: "tenant-snapshots",
  start({ database }, services) {
    services.add(new TenantSnapshotService(database));
  },
  grpcServices: (get) => [tenantSnapshotEndpoint(get(TenantSnapshotService))],
};
