import type { Finding } from "@factory/template-engine/finding";
import type { TemplateConfig } from "@factory/template-engine/template-config";
import { nameForms, ValueForms } from "@factory/template-engine/value-forms";
import type { ConfigPlaces } from "../findings/config-place.js";
import { type FindingCode, finding } from "../findings/finding-codes.js";

/** Finds missing metadata, such as the identity, the name or the author. */
export function lintMetadata(config: TemplateConfig, places: ConfigPlaces): Finding[] {
  const blank = (text: string | null) => !text?.trim();
  const absent: [FindingCode, string, boolean][] = [
    ["MissingIdentity", "identity", blank(config.identity)],
    ["MissingName", "name", blank(config.name)],
    ["MissingShortName", "shortName", !config.shortNames.some((name) => name.trim())],
    ["MissingSourceName", "sourceName", blank(config.sourceName)],
    ["MissingAuthor", "author", blank(config.author)],
    ["MissingGroupIdentity", "groupIdentity", blank(config.groupIdentity)],
    ["MissingGeneratorVersions", "generatorVersions", blank(config.generatorVersions)],
    ["MissingPrecedence", "precedence", (config.precedence ?? 0) === 0],
    ["MissingClassifications", "classifications", config.classifications.length === 0],
  ];
  return [
    ...absent
      .filter(([, , isAbsent]) => isAbsent)
      .map(([code, member]) =>
        finding(code, `The template has no ${member}.`, {
          ...places.at(member),
          suggestion: `Add "${member}" to template.json.`,
        }),
      ),
    ...ambiguousForms(config, places),
  ];
}

/** When two sourceName forms are the same text, the engine cannot know which form the text stands for. */
function ambiguousForms({ sourceName }: TemplateConfig, places: ConfigPlaces): Finding[] {
  if (!sourceName?.trim()) return [];
  const forms = new ValueForms(new Map());
  const byText = new Map<string, string[]>();
  for (const form of nameForms) {
    const text = forms.apply(form, sourceName) ?? "";
    byText.set(text, [...(byText.get(text) ?? []), form]);
  }
  const duplicates = [...byText].filter(([, names]) => names.length > 1);
  if (duplicates.length === 0) return [];
  const list = duplicates.map(([text, names]) => `"${text}" is ${names.join(" and ")}`).join("; ");
  const message = `Several forms of the sourceName are the same text: ${list}. The engine cannot distinguish them in the files.`;
  const suggestion = 'Use a sourceName whose forms all differ, for example "Template.1".';
  return [finding("SourceNameAmbiguousForms", message, { ...places.at("sourceName"), suggestion })];
}
