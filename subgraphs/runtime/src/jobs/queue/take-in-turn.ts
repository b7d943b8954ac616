/** The pg-boss part that runs statements. */
export interface SqlRunner {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** This name occurs only in the pg-boss statement that takes a job from a queue with a limit for each group. */
const marker = "group_ranking";

/**
 * Makes a queue's workers take their jobs one after the other. The pg-boss statement counts each group's running jobs
 * before it takes one, so that two statements at the same moment would start more jobs for a tenant than its limit. Two
 * processes can still do so for a moment.
 */
export function takeInTurn(runner: SqlRunner): void {
  const execute = runner.executeSql.bind(runner);
  // the statement contains the queue's name
  const lastOf = new Map<string, Promise<unknown>>();
  runner.executeSql = (text, values) => {
    if (!text.includes(marker)) return execute(text, values);
    const execution = (lastOf.get(text) ?? Promise.resolve()).then(() => execute(text, values));
    lastOf.set(
      text,
      execution.catch(() => undefined),
    );
    return execution;
  };
}
