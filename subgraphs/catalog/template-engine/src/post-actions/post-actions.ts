import { decideCondition } from "../conditions/evaluate-condition.js";
import type { ManualInstruction, PostAction } from "../configuration/template-config.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/json-value.js";
import { addToSolution } from "./add-to-solution.js";
import { addJsonProperty, addReference } from "./file-edits.js";
import { makeExecutable } from "./file-modes.js";
import { label, type PostActionContext } from "./post-action-context.js";

interface PostActionOutcome {
  manualInstructions: { text: string; actionId: string | null }[];
}

type Known = "restore" | "runScript" | "open" | "addReference" | "addToSolution" | "chmod" | "instructions" | "addJson";

const knownActions: ReadonlyMap<string, Known> = new Map([
  ["210d431b-a78b-4d2f-b762-4ed3e3ea9025", "restore"],
  ["3a7c4b45-1f5d-4a30-959a-51b88e82b5d2", "runScript"],
  ["84c0da21-51c8-4541-9940-6ca19af04ee6", "open"],
  ["b17581d1-c5c9-4489-8f0a-004be667b814", "addReference"],
  ["d396686c-de0e-4de6-906d-291cd29fc5de", "addToSolution"],
  ["cb9a6cf3-4f5c-4860-b9d2-03a574959774", "chmod"],
  ["ac1156f7-bb77-4db8-b28f-24eebcca1e5c", "instructions"],
  ["695a3659-eb40-4ff5-a6a6-c9c4e629fcb0", "addJson"],
]);

/** Does the actions that only edit files. Other actions become instructions for the user; no process is ever started. */
export function applyPostActions(actions: readonly PostAction[], context: PostActionContext): PostActionOutcome {
  const manualInstructions: { text: string; actionId: string | null }[] = [];
  for (const original of actions) {
    if (!decideCondition(original.condition, context.variables, context.report)) continue;
    const action = { ...original, args: renamedArguments(original, context.rename) };
    if (perform(action, context)) continue;
    const text = instructionOf(action, context);
    if (text !== undefined) manualInstructions.push({ text, actionId: action.actionId });
  }
  return { manualInstructions };
}

/** Applies file renames to the arguments that applyFileRenamesToArgs names. */
function renamedArguments(action: PostAction, rename: (text: string) => string): JsonObject {
  const names = new Set(action.applyFileRenamesToArgs.map((name) => name.toLowerCase()));
  if (names.size === 0) return action.args;
  return Object.fromEntries(
    Object.entries(action.args).map(([name, value]) => [
      name,
      names.has(name.toLowerCase()) ? renamedTexts(value, rename) : value,
    ]),
  );
}

function renamedTexts(value: JsonValue, rename: (text: string) => string): JsonValue {
  if (typeof value === "string") return rename(value);
  if (Array.isArray(value)) return value.map((item) => renamedTexts(item, rename));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [rename(name), renamedTexts(item, rename)]));
}

/** True when the result contains the action's effect, so that no instruction is needed. */
function perform(action: PostAction, context: PostActionContext): boolean {
  const kind = knownActions.get((action.actionId ?? "").toLowerCase());
  switch (kind) {
    case "chmod":
      return makeExecutable(action, context);
    case "addReference":
      return addReference(action, context);
    case "addToSolution":
      return addToSolution(action, context);
    case "addJson":
      return addJsonProperty(action, context);
    case "open":
      // a server has no editor to open the file in
      return true;
    case "instructions":
    case "restore":
      return false;
    case undefined:
      context.report.warn(
        "PostActionUnknown",
        `The post action "${label(action)}" has an unknown actionId and was not done.`,
      );
      return false;
    default:
      context.report.warn("PostActionSkipped", `The post action "${label(action)}" was not done.`);
      return false;
  }
}

function instructionOf(action: PostAction, context: PostActionContext): string | undefined {
  const { variables, report } = context;
  const conditional = action.manualInstructions.filter((instruction) => hasCondition(instruction));
  // the last instruction whose condition is true, else the first without a condition
  const match =
    conditional.findLast((instruction) => decideCondition(instruction.condition, variables, report)) ??
    action.manualInstructions.find((instruction) => !hasCondition(instruction));
  const text = match?.text ?? action.description ?? undefined;
  return text !== undefined && action.applyFileRenamesToManualInstructions ? context.rename(text) : text;
}

function hasCondition(instruction: ManualInstruction): boolean {
  return instruction.condition !== null && instruction.condition.trim() !== "";
}
