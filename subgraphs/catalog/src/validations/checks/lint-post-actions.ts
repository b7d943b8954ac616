import type { Finding } from "../../engine/finding.js";
import type { PostAction, TemplateConfig } from "../../engine/template-config.js";
import type { ConfigPlaces } from "./config-place.js";
import { finding } from "./finding-codes.js";

const runScript = "3a7c4b45-1f5d-4a30-959a-51b88e82b5d2";

/** The public registry of post actions. */
const registered = new Set([
  "210d431b-a78b-4d2f-b762-4ed3e3ea9025",
  runScript,
  "84c0da21-51c8-4541-9940-6ca19af04ee6",
  "b17581d1-c5c9-4489-8f0a-004be667b814",
  "d396686c-de0e-4de6-906d-291cd29fc5de",
  "cb9a6cf3-4f5c-4860-b9d2-03a574959774",
  "ac1156f7-bb77-4db8-b28f-24eebcca1e5c",
  "695a3659-eb40-4ff5-a6a6-c9c4e629fcb0",
]);

export function lintPostActions(config: TemplateConfig, places: ConfigPlaces): Finding[] {
  return config.postActions.flatMap((action, index) => lintPostAction(action, index, places));
}

function lintPostAction({ actionId, description }: PostAction, index: number, places: ConfigPlaces): Finding[] {
  const id = (actionId ?? "").trim().toLowerCase();
  const label = description ?? actionId ?? `number ${index + 1}`;
  const place = places.at("postActions", index, "actionId");
  if (id === runScript) {
    const suggestion = "Say in manualInstructions what has to be run.";
    return [
      finding("RunScriptPostAction", `The post action "${label}" runs a script, which is never done here.`, {
        ...place,
        suggestion,
      }),
    ];
  }
  if (registered.has(id)) return [];
  const why = id === "" ? "has no actionId" : `has the unknown actionId "${actionId}"`;
  return [finding("PostActionUnknown", `The post action "${label}" ${why} and will not be done.`, place)];
}
