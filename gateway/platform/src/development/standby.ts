import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// A process for `npm run dev` that has loaded the packages and the runtime already, and waits for the order to become
// the platform. Loading them takes half a restart.

/** The message with which `dev` makes the standby process the platform. */
export interface StartOrder {
  /** The platform's main module file. */
  readonly main: string;
  /** The folder with the build's results, where they still belong to the sources. */
  readonly preparedIn: string | undefined;
}

enableCompileCache(fileURLToPath(new URL("../../../../node_modules/.cache/factory-platform", import.meta.url)));

const order = new Promise<StartOrder>((resolve) => process.once("message", resolve));
await Promise.all([
  import("@factory/runtime/bus/postgres-bus"),
  import("@factory/runtime/grpc/grpc-server"),
  import("@factory/runtime/subgraph/start-subgraph"),
  import("@apollo/server"),
  import("fastify"),
  import("graphql-ws"),
  import("prom-client"),
]);
const { main, preparedIn } = await order;
process.argv = [process.execPath, main, ...(preparedIn === undefined ? [] : [preparedIn])];
process.disconnect();
await import(main);
