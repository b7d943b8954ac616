import { Worker } from "node:worker_threads";
import { logChildOutput } from "@factory/runtime/telemetry/foreign-output";
import type { Logger } from "@factory/runtime/telemetry/logger";

/** A supergraph that may take the place of the one that serves: as SDL, or as the SDL of each of its subgraphs. */
export type SupergraphCandidate =
  | { readonly supergraphSdl: string }
  | { readonly subgraphSdls: Readonly<Record<string, string>> };

export interface SupergraphCheck {
  readonly candidate: SupergraphCandidate;
  /** The SDL that each connected subgraph tells of itself, by name. */
  readonly connected: Readonly<Record<string, string>>;
}

export type SupergraphVerdict =
  | { readonly supergraphSdl: string; readonly problems?: never }
  /** Why the candidate cannot serve, in sentences for the operator. */
  | { readonly problems: readonly string[] };

/** Longer than any check takes, so that a broken thread does not hold up the next candidate. */
const timeoutMs = 60_000;
const memoryLimits = { maxOldGenerationSizeMb: 512 };

/** Composes and checks a candidate in a thread of its own, so that this one goes on serving. */
export async function checkSupergraph(
  check: SupergraphCheck,
  { logger, signal }: { logger: Logger; signal: AbortSignal },
): Promise<SupergraphVerdict> {
  // tests run the .ts files, threads need the compiled ones
  const compiled = import.meta.url.endsWith(".ts")
    ? "../../dist/supergraph/supergraph-check-worker.js"
    : "./supergraph-check-worker.js";
  const thread = new Worker(new URL(compiled, import.meta.url), {
    workerData: check,
    resourceLimits: memoryLimits,
    env: {},
    execArgv: [],
    name: "supergraph check",
    stdout: true,
    stderr: true,
  });
  for (const output of [thread.stdout, thread.stderr]) logChildOutput(output, logger);
  // a timer or a listener that stays would keep the candidate
  const done = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<SupergraphVerdict>((resolve, reject) => {
      const stop = () => reject(new Error("The platform is stopping."));
      signal.addEventListener("abort", stop, { signal: done.signal });
      timer = setTimeout(() => reject(new Error("The check of the supergraph took too long.")), timeoutMs).unref();
      thread.once("message", resolve);
      thread.once("error", reject);
      thread.once("exit", () => reject(new Error("The check of the supergraph ended by itself.")));
    });
  } finally {
    done.abort();
    clearTimeout(timer);
    await thread.terminate();
  }
}
