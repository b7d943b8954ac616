import type { Plugin } from "esbuild";

/**
 * Packages that Apollo's gateway (2.14.4) needs only to reach other hosts: the exporter that sends metrics to Apollo,
 * and Apollo's HTTP client. The platform uses neither. They would add 13 MB to the gateway's 2 MB of heap.
 */
const unusedModules = /^(@opentelemetry\/(?!api$)|make-fetch-happen$|node-fetch$|async-retry$)/;

/** Replaces packages that the platform does not use with empty modules. */
export const unusedPackages: Plugin = {
  name: "unused packages",
  setup(build) {
    build.onResolve({ filter: /^[@a-z]/ }, ({ path, importer }) =>
      unusedModules.test(path) && importer.includes("/@apollo/gateway/") ? { path, namespace: "unused" } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: "unused" }, () => ({ contents: "module.exports = {};", loader: "js" }));
  },
};
