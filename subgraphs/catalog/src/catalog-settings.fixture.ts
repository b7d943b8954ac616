import { join } from "node:path";

/** The settings of a catalog in a test: repositories in the database, and no host, feed or credential beside. */
export const catalogSettingsIn = (dataDir: string) => ({
  publicUrl: "http://127.0.0.1:4000",
  repositories: {
    driver: "database" as const,
    folder: join(dataDir, "repositories"),
    cacheFolder: join(dataDir, "repository-cache"),
    cacheBytes: 1024 ** 3,
    limits: { repositoryBytes: 1024 ** 3, tenantBytes: 10 * 1024 ** 3 },
  },
  ...{ development: true, allowHosts: [], sourceRoots: [], nugetFeeds: [], allowSsh: false },
  sourceCredentials: new Map<string, never>(),
  usage: { consume: async () => undefined, release: async () => undefined },
});
