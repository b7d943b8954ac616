import type { SourcePolicy } from "./remote-policy.js";

/** The remotes that the operator allows for sources and targets. */
export interface RemoteSettings {
  /** Allows file and loopback remotes. */
  readonly development: boolean;
  /** Names `host` or `host:port` for hosts that may also have private addresses or use plain http. */
  readonly allowHosts: readonly string[];
  /** Folders that may contain local repositories as sources. */
  readonly sourceRoots: readonly string[];
  readonly allowSsh: boolean;
}

/** The policy for sources. `storeRoots` are the embedded store's folders, which no caller may name. */
export function sourcePolicy(settings: RemoteSettings, storeRoots: readonly string[]): SourcePolicy {
  return {
    allowFile: settings.development || settings.sourceRoots.length > 0,
    fileRoots: settings.sourceRoots,
    blockedFileRoots: storeRoots,
    allowLoopback: settings.development,
    allowHosts: settings.allowHosts,
    allowSsh: settings.allowSsh,
  };
}

/** The policy for targets. Outside development nothing is written to the folders that sources may be read from. */
export function targetPolicy(settings: RemoteSettings, storeRoots: readonly string[]): SourcePolicy {
  return { ...sourcePolicy(settings, storeRoots), allowFile: settings.development };
}
