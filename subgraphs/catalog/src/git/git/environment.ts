import { tmpdir } from "node:os";
import { folderWatch } from "@factory/runtime/files/folder-watch";
import type { PlatformFolder } from "@factory/runtime/files/platform-folder";

/**
 * The PATH for git: the only variable from this process's environment that git gets, so that a template can read no
 * other.
 */
export const programPath: string = process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin";

/** The folder for all workspaces. Each is created with mode 0700 and removed after use. */
export const scratchRoot: PlatformFolder = folderWatch.folder("TMPDIR", tmpdir());
