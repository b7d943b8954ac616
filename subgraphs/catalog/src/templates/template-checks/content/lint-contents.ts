import type { Finding } from "@factory/template-engine/finding";
import { finding } from "../findings/finding-codes.js";
import { readDirectives } from "./directives.js";
import { secretIn } from "./secret-text.js";
import type { TemplateTexts } from "./template-texts.js";

/** Checks the files that a render reads: their size, that their content is there, and that each #if has its #endif. */
export function lintContents({ texts, tooLarge, pointers }: TemplateTexts): Finding[] {
  const large = tooLarge.map((path) =>
    finding("FileTooLarge", "The file is larger than 5 MiB, so a render copies it without processing.", {
      path,
      suggestion: "Name the file in copyOnly, or make it smaller.",
    }),
  );
  const missing = pointers.map((path) =>
    finding("LfsObjectMissing", "The file is a pointer of Git LFS, and its object is not in the source.", {
      path,
      suggestion: "Commit the file itself, or exclude it from the sources of the template.",
    }),
  );
  return [...large, ...missing, ...texts.flatMap(({ path, text, custom }) => (custom ? [] : unbalanced(path, text)))];
}

function unbalanced(path: string, text: string): Finding[] {
  const { stray } = readDirectives(path, text);
  if (!stray) return [];
  const { keyword, line, column } = stray;
  const opens = keyword === "if";
  const message = opens
    ? "This #if has no #endif. When its condition is false, the rest of the file is left out."
    : `This #${keyword} has no #if, so it stays in the produced file as text.`;
  const suggestion = opens ? "Add an #endif." : "Remove it, or add the #if.";
  return [finding("UnbalancedConditional", message, { path, line, column, suggestion })];
}

/** Looks for secrets in every package text. Files that are only copied reach repositories too. */
export function lintSecrets(texts: Iterable<readonly [string, string]>): Finding[] {
  return Array.from(texts).flatMap(([path, text]) => {
    const secret = secretIn(text);
    if (!secret) return [];
    const { what, line, column } = secret;
    const suggestion = "Remove the secret from the file, revoke it, and let the user of the template supply it.";
    const message = `The file seems to contain ${what}. Every scaffold would contain it too.`;
    return [finding("SecretLikeContent", message, { path, line, column, suggestion })];
  });
}
