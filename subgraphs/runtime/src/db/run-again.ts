import { setTimeout as pause } from "node:timers/promises";
import { isConflict, isForgotten, isParentGone } from "../errors/database-failure.js";

const retries = 3;
const shortestPauseMs = 10;

/**
 * Runs a transaction again, up to three times, after a deadlock, a serialization failure, a violated foreign key (the
 * parent row was deleted meanwhile) or lost prepared statements on the connection. A short random pause keeps two
 * transactions from colliding again.
 */
export async function runAgain<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt === retries || !(isConflict(error) || isParentGone(error) || isForgotten(error))) throw error;
    }
    await pause(Math.random() * shortestPauseMs * 2 ** attempt);
  }
}
