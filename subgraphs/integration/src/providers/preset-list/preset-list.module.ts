import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { PresetResolver } from "./preset.resolver.js";
import { PresetListService } from "./preset-list.service.js";

/** The list of presets, for people and programs that choose one. */
export const presetList: SliceModule = {
  slice: "preset-list",
  start({ cursors }, services) {
    services.add(new PresetListService(cursors));
  },
  resolvers: (get) => [new PresetResolver(get(PresetListService))],
};
