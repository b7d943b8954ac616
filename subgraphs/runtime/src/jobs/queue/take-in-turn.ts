/** The part of pg-boss that runs statements. */
export interface SqlRunner {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** This name occurs only in the statement of pg-boss that takes a job of a queue with a limit for each group. */
const marker = "group_ranking";

/**
 * Makes the workers of a queue take their jobs one after the other. The statement of pg-boss counts the running jobs of
 * each group before it takes one, so that two statements at the same moment would start more jobs of a tenant than its
 * limit. Two processes can still do so for a moment.
 */
export function takeInTurn(runner: SqlRunner): void {
  const execute = runner.executeSql.bind(runner);
  // the statement contains the name of the queue
  const lastOf = new Map<string, Promise<unknown>>();
  runner.executeSql = (text, values) => {
    if (!text.includes(marker)) return execute(text, values);
    const taken = (lastOf.get(text) ?? Promise.resolve()).then(() => execute(text, values));
    lastOf.set(
      text,
      taken.catch(() => undefined),
    );
    return taken;
  };
}
