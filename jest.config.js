import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

const distOf = (file) => fileURLToPath(new URL(`node_modules/${file}`, import.meta.url));

const relativeSources = { "^(\\.{1,2}/.*)\\.js$": "$1" };

const unit = (name, folder) => ({
  displayName: name,
  rootDir: folder,
  roots: ["<rootDir>/src"],
  testMatch: ["**/*.test.ts"],
  ...shared,
});

const shared = {
  testEnvironment: "node",
  // workspaces are tested from their sources, not from dist
  testEnvironmentOptions: { customExportConditions: ["source", "node", "node-addons"] },
  extensionsToTreatAsEsm: [".ts"],
  transform: { "^.+\\.ts$": ["@swc/jest"] },
  moduleNameMapper: relativeSources,
  setupFiles: ["reflect-metadata"],
};

export default {
  // suites wait more than they compute, so no core is kept free; the stack suites share one platform
  maxWorkers: Math.min(availableParallelism(), 4),
  // ES modules of finished suites stay in memory, so a worker process is replaced when it has grown
  workerIdleMemoryLimit: "1GB",
  // longer than any wait inside a test, so that a failure names the condition it waited for, and a slow machine does not fail
  testTimeout: 120_000,
  projects: [
    unit("runtime", "subgraphs/runtime"),
    unit("template-engine", "subgraphs/catalog/template-engine"),
    unit("nuget", "subgraphs/catalog/nuget"),
    unit("catalog", "subgraphs/catalog"),
    {
      ...unit("integration", "subgraphs/integration"),
      moduleNameMapper: {
        // these packages use the condition "source" for sources of their own
        "^eventsource$": distOf("eventsource/dist/index.js"),
        "^eventsource-parser$": distOf("eventsource-parser/dist/index.js"),
        "^eventsource-parser/stream$": distOf("eventsource-parser/dist/stream.js"),
        ...relativeSources,
      },
    },
    unit("spine", "subgraphs/spine"),
    unit("gateway", "gateway"),
    unit("rest-facade", "rest-facade"),
    { ...shared, displayName: "house", rootDir: "test", testMatch: ["<rootDir>/house/**/*.test.ts"] },
    {
      ...shared,
      displayName: "stack",
      rootDir: "test",
      testMatch: ["<rootDir>/{contract,audit,rest,graphql,grpc,subscriptions,events,faults}/**/*.test.ts"],
      globalSetup: "<rootDir>/dist/kit/start-platform.js",
      globalTeardown: "<rootDir>/dist/kit/stop-platform.js",
    },
  ],
};
