import { setTimeout as pause } from "node:timers/promises";
import { isConflict, isParentGone } from "../errors/database-failure.js";

const retries = 3;
const shortestPauseMs = 10;

/**
 * Runs a whole transaction again when PostgreSQL has chosen it to break a deadlock or could not serialize it, or when
 * a row that it named was deleted meanwhile: three times, after a short pause of random length, so that the same two
 * do not meet again.
 */
export async function runAgain<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt === retries || !(isConflict(error) || isParentGone(error))) throw error;
    }
    await pause(Math.random() * shortestPauseMs * 2 ** attempt);
  }
}
