import type { Finding } from "@factory/template-engine/finding";
import { finding } from "../findings/finding-codes.js";
import { readDirectives } from "./directives.js";
import { secretIn } from "./secret-text.js";
import type { TemplateTexts } from "./template-texts.js";

/** Files that are read when the template is rendered. */
export function lintContents({ texts, tooLarge }: TemplateTexts): Finding[] {
  const large = tooLarge.map((path) =>
    finding("FileTooLarge", "The file is larger than 5 MiB and will be copied without processing.", {
      path,
      suggestion: "Name it in copyOnly, or make it smaller.",
    }),
  );
  return [...large, ...texts.flatMap(({ path, text, custom }) => (custom ? [] : unbalanced(path, text)))];
}

function unbalanced(path: string, text: string): Finding[] {
  const { stray } = readDirectives(path, text);
  if (!stray) return [];
  const { keyword, line, column } = stray;
  const opens = keyword === "if";
  const message = opens
    ? "This #if has no #endif: where it does not hold, the rest of the file is left out."
    : `This #${keyword} has no #if and stays in the result as text.`;
  const suggestion = opens ? "Add the #endif." : `Remove it, or add the #if.`;
  return [finding("UnbalancedConditional", message, { path, line, column, suggestion })];
}

/** Every text of the package, also what is only copied: all of it ends up in repositories. */
export function lintSecrets(texts: Iterable<readonly [string, string]>): Finding[] {
  return Array.from(texts).flatMap(([path, text]) => {
    const secret = secretIn(text);
    if (!secret) return [];
    const { what, line, column } = secret;
    const suggestion = "Remove it, revoke it, and let the one who uses the template supply it.";
    const message = `The file holds what looks like ${what}; every scaffold would carry it.`;
    return [finding("SecretLikeContent", message, { path, line, column, suggestion })];
  });
}
