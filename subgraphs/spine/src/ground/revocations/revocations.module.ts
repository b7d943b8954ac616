import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { Revocation } from "./revocation.entity.js";
import { RevocationFeed } from "./revocation-feed.js";
import { revocationRetention } from "./revocation-retention.js";
import { SubjectVersion } from "./subject-version.entity.js";

/** Token revocations, and the feed that tells verifiers about them. */
export const revocations: SliceModule = {
  slice: "revocations",
  entities: [Revocation, SubjectVersion],
  start({ workers, listener, logger, onStop }, services) {
    const feed = services.add(new RevocationFeed(workers, listener, logger));
    onStop(() => feed.stop());
  },
  retention: () => [revocationRetention],
};
