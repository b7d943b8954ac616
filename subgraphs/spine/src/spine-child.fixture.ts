import { join } from "node:path";
import { operationsOn, type StartParts, serveParent } from "@factory/runtime/faults/subgraph-child.fixture";
import { startSpine } from "./subgraph.js";

/** The operations that the process offers to its parent. */
export type SpineOperations = Awaited<ReturnType<typeof start>>["operations"];

async function start({ host, masterKeys, dataDir }: StartParts<undefined>) {
  const spine = await startSpine(host, {
    ...{ issuer: "http://127.0.0.1:4000", masterKeys, dataDir, filesDir: join(dataDir, "files"), allowedOrigins: [] },
    // small pages, so that a few notifications are several of them
    notificationsErasedAtOnce: 100,
    verifier: { verify: () => Promise.reject(new Error("no gRPC call is made")) },
  });
  return { operations: { ask: operationsOn(spine.schema) }, close: () => spine.close() };
}

serveParent("spine", start);
