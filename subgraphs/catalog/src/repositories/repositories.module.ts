import { join } from "node:path";
import type { Verifier } from "@factory/runtime/auth/authenticate";
import { serviceKey } from "@factory/runtime/subgraph/service-registry";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { createGitHttpHandler, type GitHttpHandler } from "./git-http.js";
import { readGitReader } from "./git-reader.js";
import { RepositoryStore } from "./repository-store.js";

/** The place of the embedded git store, and who may clone from it. */
export interface RepositorySettings {
  /** The embedded store is its folder `repositories`. */
  readonly dataDir: string;
  /** Verifies the tokens of git clients. */
  readonly verifier: Verifier;
}

/** The handler of git over HTTP. */
export const gitHttpService = serviceKey<GitHttpHandler>("GitHttpHandler");

/** The embedded git store, and git over HTTP. */
export const repositories: SliceModule<RepositorySettings> = {
  slice: "repositories",
  start({ settings, logger, refusals }, services) {
    const { dataDir, verifier } = settings;
    const store = services.add(new RepositoryStore(join(dataDir, "repositories")));
    const handler = createGitHttpHandler(store, {
      authorize: (request, identify) => readGitReader(request, verifier, identify),
      ...{ logger, refusals },
    });
    services.add(handler, gitHttpService);
  },
};
