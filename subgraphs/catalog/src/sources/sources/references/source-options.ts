import type { RemoteCredential } from "../../../git/git/remote-credential.js";

/** How a source is read. */
export interface SourceOptions {
  timeoutMs: number;
  signal?: AbortSignal;
  /** Sent only to the host that the reference names. */
  credential?: RemoteCredential;
}
