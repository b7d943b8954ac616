import { type Context, createContext, Script } from "node:vm";

/** The work exceeded its time limit and was ended; the thread continues. */
export class TimeLimitExceeded extends Error {
  override readonly name = "TimeLimitExceeded";
}

const script = new Script("work()");
let context: Context | undefined;

/** Runs synchronous work under a time limit. V8 interrupts a regular expression only in a script with a timeout. */
export function withinTime<T>(limitMs: number, work: () => T): T {
  const outcome: { value?: T } = {};
  context ??= createContext({});
  context["work"] = () => {
    outcome.value = work();
  };
  try {
    script.runInContext(context, { timeout: Math.max(1, Math.ceil(limitMs)) });
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    throw new TimeLimitExceeded(`The work was ended after ${limitMs} ms.`);
  } finally {
    context["work"] = undefined;
  }
  return outcome.value as T;
}
