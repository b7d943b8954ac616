import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { type RemoteSettings, targetPolicy } from "../../git/git/allowed-remotes.js";
import { repositoryStoreService } from "../../git/repositories/port/repository-store.js";
import { noSourceControl, type SourceControl } from "../../git/source-control/source-control.js";
import { RemoteCredentials } from "../../sources/remote-credentials/remote-credentials.js";
import { TargetResolver } from "./target-resolver.js";

/** The remotes that scaffolds may be pushed to. */
export interface TargetSettings extends RemoteSettings {
  /** Without it, targets that are connections are refused. */
  readonly sourceControl?: SourceControl;
  /** The embedded store's clone URLs begin with it. */
  readonly publicUrl: string;
}

/** The repositories that scaffolds are pushed to. */
export const targets: SliceModule<TargetSettings> = {
  slice: "targets",
  start({ settings }, services) {
    const store = services.get(repositoryStoreService);
    const policy = targetPolicy(settings, store.roots);
    const credentials = services.get(RemoteCredentials);
    const { publicUrl, sourceControl = noSourceControl } = settings;
    services.add(new TargetResolver({ store, policy, publicUrl, credentials, sourceControl }));
  },
};
