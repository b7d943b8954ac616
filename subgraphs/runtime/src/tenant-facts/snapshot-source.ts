import { type TenantSnapshot, TenantsDefinition } from "@factory/schema/proto/generated/factory/spine/v1/tenants";
import type { GrpcChannel } from "../grpc/grpc-channel.js";
import type { EditionCopy, TenantCopy } from "./tenant-copy.js";

/** One page with tenants that have changed. */
export interface ChangedTenants {
  readonly tenants: readonly TenantCopy[];
  /** The page's time by the clock in the spine's database; 0 in an empty page. */
  readonly readAtMs: number;
}

/** Where the copies come from. Throws UNAVAILABLE and UPSTREAM_TIMEOUT while the spine does not answer. */
export interface SnapshotSource {
  /** At most 500 tenants. Unknown ones are absent. */
  tenants(tenantIds: readonly string[]): Promise<readonly TenantCopy[]>;
  changedSince(timeMs: number): AsyncIterable<ChangedTenants>;
  editions(): Promise<readonly EditionCopy[]>;
}

/** Reads snapshots over gRPC (spine.v1.Tenants). */
export function snapshotSource(channel: GrpcChannel): SnapshotSource {
  const client = channel.client(TenantsDefinition);
  return {
    async tenants(tenantIds) {
      const copies: TenantCopy[] = [];
      let missing = tenantIds;
      for (;;) {
        const { tenants, nextPageToken } = await client.snapshots({ tenantIds: [...missing] });
        copies.push(...tenants.map(tenantCopy));
        if (nextPageToken === "") return copies;
        const receivedIds = new Set(copies.map(({ tenantId }) => tenantId));
        missing = missing.filter((tenantId) => !receivedIds.has(tenantId));
      }
    },
    async *changedSince(changedSinceMs) {
      let pageToken = "";
      do {
        const { tenants, readAtMs, nextPageToken } = await client.snapshots({ changedSinceMs, pageToken });
        yield { tenants: tenants.map(tenantCopy), readAtMs };
        pageToken = nextPageToken;
      } while (pageToken !== "");
    },
    async editions() {
      const copies: EditionCopy[] = [];
      let pageToken = "";
      do {
        const { editions, nextPageToken } = await client.editions({ pageToken });
        for (const { code, version, featuresJson } of editions)
          copies.push({ code, version, features: JSON.parse(featuresJson) as EditionCopy["features"] });
        pageToken = nextPageToken;
      } while (pageToken !== "");
      return copies;
    },
  };
}

function tenantCopy({ settingsJson, limitsJson, ...facts }: TenantSnapshot): TenantCopy {
  return { ...facts, settings: readObject(settingsJson), limits: readObject(limitsJson) };
}

const readObject = (json: string) => JSON.parse(json) as Record<string, unknown>;
