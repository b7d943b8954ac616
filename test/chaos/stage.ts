import type { RunningPlatform } from "@factory/platform/client/platform-api";
import type pg from "pg";

/** A platform with one or several processes, as the load and the judgement see it. */
export interface Stage {
  readonly platform: RunningPlatform;
  /** The folder with `bootstrap.json`. */
  readonly dataDir: string;
  /** Runs SQL as the superuser, for rows that no caller can see. */
  rows<R extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<R[]>;
}
