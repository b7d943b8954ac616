import type { FileTree } from "@factory/template-engine/file-tree";
import type { TemplateChoice } from "@factory/template-engine/template-choice";
import { describeTemplate, type TemplateTexts } from "@factory/template-engine/template-description";
import { loadTemplatePack } from "@factory/template-engine/template-pack";

/** The largest details that the row of a version keeps. */
const maxCharacters = 256 * 1024;

/** What the content says of itself; null where it cannot be read or says more than is kept. */
export function templateDetails(files: FileTree, choice: TemplateChoice): TemplateTexts | null {
  let texts: TemplateTexts;
  try {
    texts = describeTemplate(loadTemplatePack(files, choice));
  } catch {
    // the checks say what is wrong with it
    return null;
  }
  if (JSON.stringify(texts).length <= maxCharacters) return texts;
  const plain = { ...texts, localizations: {} };
  return JSON.stringify(plain).length <= maxCharacters ? plain : null;
}
