import { tmpdir } from "node:os";

/** The only variables of this process that reach git: where programs are, and nothing a template could read. */
export const programPath: string = process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin";

/** Where workspaces live; each is made with mode 0700 and removed after use. */
export const scratchRoot: string = tmpdir();
