import { Worker } from "node:worker_threads";
import { logChildOutput } from "@factory/runtime/telemetry/foreign-output";
import type { Logger } from "@factory/runtime/telemetry/logger";

/** A candidate that may replace the current supergraph: a supergraph SDL, or each subgraph's SDL. */
export type SupergraphCandidate =
  | { readonly supergraphSdl: string }
  | { readonly subgraphSdls: Readonly<Record<string, string>> };

export interface SupergraphCheck {
  readonly candidate: SupergraphCandidate;
  /** Subgraph name -> the SDL that the connected subgraph returns. */
  readonly connected: Readonly<Record<string, string>>;
}

export type SupergraphVerdict =
  | { readonly supergraphSdl: string; readonly problems?: never }
  /** The reasons why the candidate cannot serve, as sentences for the operator. */
  | { readonly problems: readonly string[] };

/** The time limit for a check. It is longer than any normal check, so only a blocked thread reaches it. */
const timeoutMs = 60_000;
const memoryLimits = { maxOldGenerationSizeMb: 512 };

/** Composes and checks a candidate in a separate thread, so that the main thread continues to serve requests. */
export async function checkSupergraph(
  check: SupergraphCheck,
  { logger, signal }: { logger: Logger; signal: AbortSignal },
): Promise<SupergraphVerdict> {
  // Tests run the .ts files, but a thread needs the compiled .js file.
  const compiledWorker = import.meta.url.endsWith(".ts")
    ? "../../dist/supergraph/supergraph-check-worker.js"
    : "./supergraph-check-worker.js";
  const thread = new Worker(new URL(compiledWorker, import.meta.url), {
    workerData: check,
    resourceLimits: memoryLimits,
    env: {},
    execArgv: [],
    name: "supergraph check",
    stdout: true,
    stderr: true,
  });
  for (const output of [thread.stdout, thread.stderr]) logChildOutput(output, logger);
  // A remaining timer or listener would keep the candidate in memory.
  const checkEnd = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<SupergraphVerdict>((resolve, reject) => {
      const stop = () => reject(new Error("The platform is stopping."));
      signal.addEventListener("abort", stop, { signal: checkEnd.signal });
      timer = setTimeout(() => reject(new Error("The check of the supergraph took too long.")), timeoutMs).unref();
      thread.once("message", resolve);
      thread.once("error", reject);
      thread.once("exit", () => reject(new Error("The check of the supergraph ended by itself.")));
    });
  } finally {
    checkEnd.abort();
    clearTimeout(timer);
    await thread.terminate();
  }
}
