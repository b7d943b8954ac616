import { join } from "node:path";
import { inUseMs, removeOlder } from "../bare/remove-older.js";

/** The folder for pushes that are being received. */
export const pushesFolder = ".pushes";
/** Unfinished repositories' names begin with this. */
export const unfinishedPrefix = ".new-";

/** Removes what processes that died have left in REPOSITORIES_DIR. */
export class FolderTidying {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** `now`: epoch milliseconds. */
  async tidy(now: number): Promise<void> {
    const oldest = now - inUseMs;
    await removeOlder(join(this.#root, pushesFolder), oldest, () => true);
    await removeOlder(this.#root, oldest, (name) => name.startsWith(unfinishedPrefix));
  }
}
