import type { FileTree } from "@factory/template-engine/file-tree";
import type { TemplateChoice } from "@factory/template-engine/template-choice";
import { describeTemplate, type TemplateTexts } from "@factory/template-engine/template-description";
import { loadTemplatePack } from "@factory/template-engine/template-pack";
import { storable } from "./storable.js";

/** The maximum size of the details, as JSON, that a version's row stores. */
const maxCharacters = 256 * 1024;

/**
 * A template's texts about itself. Null when the content cannot be read or the texts are too long to be stored.
 */
export function templateDetails(files: FileTree, choice: TemplateChoice): TemplateTexts | null {
  let texts: TemplateTexts;
  try {
    texts = storable(describeTemplate(loadTemplatePack(files, choice)));
  } catch {
    // The checks report the fault.
    return null;
  }
  if (JSON.stringify(texts).length <= maxCharacters) return texts;
  const plain = { ...texts, localizations: {} };
  return JSON.stringify(plain).length <= maxCharacters ? plain : null;
}
