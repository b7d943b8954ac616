import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { type RemoteSettings, sourcePolicy } from "../../git/git/allowed-remotes.js";
import { repositoryStoreService } from "../../git/repositories/port/repository-store.js";
import { SourceReader } from "./source-reader.js";

/** The remotes and feeds that templates and packages may come from. */
export interface SourceSettings extends RemoteSettings {
  /** The service index URLs for NuGet v3 feeds. They are asked in this order. */
  readonly nugetFeeds: readonly string[];
}

/** Template sources from git and from NuGet packages. */
export const sources: SliceModule<SourceSettings> = {
  slice: "sources",
  start({ settings, logger, onClose }, services) {
    const policy = sourcePolicy(settings, services.get(repositoryStoreService).roots);
    const reader = services.add(new SourceReader({ policy, nugetFeeds: settings.nugetFeeds, logger }));
    onClose(() => reader.close());
  },
};
