import { decodeText } from "@factory/template-engine/encodings";
import type { Finding } from "@factory/template-engine/finding";
import type { JsonObject } from "@factory/template-engine/json-value";
import { parseJsonc } from "@factory/template-engine/jsonc";
import type { TemplateConfig } from "@factory/template-engine/template-config";
import type { TemplatePack } from "@factory/template-engine/template-pack";
import { placeIn } from "../findings/config-place.js";
import { finding } from "../findings/finding-codes.js";

const localizationFile = /^\.template\.config\/localize\/(?:.*\/)?templatestrings\.[^/]*\.json$/;
/** The key that localizes a post action's only instruction when the instruction has no id. */
const onlyInstructionPattern = "default";

/** Finds localization files that the engine ignores, and localized texts that are never shown. */
export function lintLocalization({ root, config, files }: TemplatePack): Finding[] {
  return Array.from(files).flatMap(([path, { bytes }]) => {
    if (!localizationFile.test(path)) return [];
    const text = decodeText(bytes);
    const place = root === "" ? path : `${root}/${path}`;
    const { value, fault } = parseJsonc(text);
    if (value === null) {
      const { message, line, column } = fault;
      const detail = `The localization file cannot be read, so the engine ignores it: ${message}.`;
      return [finding("LocalizationUnreadable", detail, { path: place, line, column })];
    }
    return lintTexts(value, config, (key) => placeIn({ path: place, text }, [key]));
  });
}

type PlaceOf = (key: string) => ReturnType<typeof placeIn>;

function lintTexts(texts: JsonObject, config: TemplateConfig, placeOf: PlaceOf): Finding[] {
  const keys = new Set<string>();
  return Object.entries(texts).flatMap(([key, value]) => {
    if (typeof value !== "string") {
      const message = `The localized text "${key}" is not a string, so the engine ignores the whole file.`;
      return [finding("LocalizationUnreadable", message, placeOf(key))];
    }
    const unknown = unknownKey(key, config);
    if (!unknown || keys.has(unknown.message)) return [];
    keys.add(unknown.message);
    const { message, severity } = unknown;
    return [finding("LocalizationMismatch", message, { ...placeOf(key), ...(severity ? { severity } : {}) })];
  });
}

/** Finds keys that name something the template does not have. The engine itself reports post actions only. */
function unknownKey(key: string, config: TemplateConfig): { message: string; severity?: "Info" } | undefined {
  const [kind, name = "", part, child = ""] = key.split("/");
  if (kind === "postActions") return strangerInAction(config, { name, part, child });
  if (kind !== "symbols") return undefined;
  const symbol = config.symbols.get(name);
  if (!symbol)
    return { message: `The localization names the symbol "${name}", which does not exist.`, severity: "Info" };
  const isChoice = part === "choices" && symbol.type === "parameter";
  if (!isChoice || symbol.choices.some(({ choice }) => choice.toLowerCase() === child.toLowerCase())) return undefined;
  const message = `The localization names the choice "${child}" of "${name}", which does not exist.`;
  return { message, severity: "Info" };
}

function strangerInAction(
  { postActions }: TemplateConfig,
  { name, part, child }: { name: string; part: string | undefined; child: string },
): { message: string } | undefined {
  const action = postActions.find(({ id }) => id === name);
  if (!action) return { message: `The localization names the post action "${name}", which does not exist. (LOC002)` };
  if (part !== "manualInstructions") return undefined;
  const { manualInstructions } = action;
  const [only] = manualInstructions;
  const standsForOnly = child === onlyInstructionPattern && manualInstructions.length === 1 && only?.id === null;
  if (standsForOnly || manualInstructions.some(({ id }) => id === child)) return undefined;
  const message = `The localization names the manual instruction "${child}" of "${name}", which does not exist. (LOC001)`;
  return { message };
}
