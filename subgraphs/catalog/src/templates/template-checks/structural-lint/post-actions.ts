import type { Finding } from "@factory/template-engine/finding";
import { parseGuid } from "@factory/template-engine/seeded-values";
import type { PostAction, TemplateConfig } from "@factory/template-engine/template-config";
import type { ConfigPlaces } from "../findings/config-place.js";
import { finding } from "../findings/finding-codes.js";

const runScript = "3a7c4b45-1f5d-4a30-959a-51b88e82b5d2";

/** The public post action registry. */
const registry = new Set([
  "210d431b-a78b-4d2f-b762-4ed3e3ea9025",
  runScript,
  "84c0da21-51c8-4541-9940-6ca19af04ee6",
  "b17581d1-c5c9-4489-8f0a-004be667b814",
  "d396686c-de0e-4de6-906d-291cd29fc5de",
  "cb9a6cf3-4f5c-4860-b9d2-03a574959774",
  "ac1156f7-bb77-4db8-b28f-24eebcca1e5c",
  "695a3659-eb40-4ff5-a6a6-c9c4e629fcb0",
]);

interface ActionPlace {
  index: number;
  label: string;
  places: ConfigPlaces;
}

export function lintPostActions({ postActions }: TemplateConfig, places: ConfigPlaces): Finding[] {
  const ids = new Set<string>();
  return postActions.flatMap((action, index) => {
    const place = { index, label: action.description ?? action.id ?? `number ${index + 1}`, places };
    const isRepeated = action.id !== null && ids.has(action.id);
    if (action.id !== null) ids.add(action.id);
    return [
      ...(isRepeated ? [repeatedId(action.id, place)] : []),
      ...lintAction(action, place),
      ...lintRenamedArguments(action, place),
      ...lintInstructions(action, place),
    ];
  });
}

function repeatedId(id: string | null, { index, places }: ActionPlace): Finding {
  const message = `Two post actions have the id "${id}". Only the first of them can be localized.`;
  return finding("PostActionIdDuplicated", message, places.at("postActions", index, "id"));
}

function lintAction({ actionId }: PostAction, { index, label, places }: ActionPlace): Finding[] {
  const place = places.at("postActions", index, "actionId");
  const id = (actionId ?? "").trim().toLowerCase();
  if (parseGuid(id) === undefined) {
    const message = `The post action "${label}" has no actionId, or one that is not a GUID. The template cannot be installed.`;
    const suggestion = "Take the actionId from the registry of post actions.";
    return [finding("PostActionIdMissing", message, { ...place, suggestion })];
  }
  if (id === runScript) {
    const suggestion = "Describe in manualInstructions what the user has to run.";
    const message = `The post action "${label}" runs a script. The catalog never runs scripts.`;
    return [finding("RunScriptPostAction", message, { ...place, suggestion })];
  }
  if (registry.has(id)) return [];
  const message = `The post action "${label}" has the unknown actionId "${actionId}" and is skipped.`;
  return [finding("PostActionUnknown", message, place)];
}

function lintRenamedArguments(
  { args, applyFileRenamesToArgs }: PostAction,
  { index, label, places }: ActionPlace,
): Finding[] {
  const names = new Set(Object.keys(args).map((name) => name.toLowerCase()));
  return applyFileRenamesToArgs.flatMap((name, number) => {
    if (names.has(name.toLowerCase())) return [];
    const message = `The post action "${label}" names "${name}" in applyFileRenamesToArgs, but it has no such argument.`;
    const place = places.at("postActions", index, "applyFileRenamesToArgs", number);
    return [finding("UnknownRenamedArgument", message, place)];
  });
}

function lintInstructions({ manualInstructions }: PostAction, { index, label, places }: ActionPlace): Finding[] {
  const place = places.at("postActions", index, "manualInstructions");
  if (manualInstructions.length === 0) {
    const message = `The post action "${label}" has no manualInstructions for tools that cannot do it.`;
    return [finding("MissingManualInstructions", message, place)];
  }
  const ids = manualInstructions.flatMap(({ id }) => id ?? []);
  const duplicates = new Set(ids.filter((id, number) => ids.indexOf(id) !== number));
  return Array.from(duplicates, (id) => {
    const message = `Two instructions of "${label}" have the id "${id}". Only the first of them can be localized.`;
    return finding("ManualInstructionIdDuplicated", message, place);
  });
}
