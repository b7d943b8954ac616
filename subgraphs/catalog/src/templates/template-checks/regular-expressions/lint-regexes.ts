import { dotnetRegex } from "@factory/template-engine/dotnet-regex";
import type { Finding } from "@factory/template-engine/finding";
import { objectsMember, textMember } from "@factory/template-engine/jsonc";
import type { TemplateConfig } from "@factory/template-engine/template-config";
import type { ConfigPlace, ConfigPlaces } from "../findings/config-place.js";
import { finding } from "../findings/finding-codes.js";
import { RegexProbe } from "./regex-probe.js";

interface TemplateRegex {
  owner: string;
  pattern: string;
  place: ConfigPlace;
}

interface LintedRegexes {
  findings: Finding[];
  /** Whether it is safe to run them all on the template's values. */
  harmless: boolean;
}

/** .NET syntax that JavaScript expressions cannot express. */
const dotnetOnlySyntax = /\(\?>|\(\?\(|\(\?[<']\w*-\w+[>']|\(\?[imnsx]*-?[imnsx]+[):]|\\G|\\[pP]\{Is/;

/** Checks the regular expressions in generators and forms: their syntax, and that they cannot backtrack without end. */
export function lintRegexes(config: TemplateConfig, places: ConfigPlaces): LintedRegexes {
  const probe = new RegexProbe();
  const findings: Finding[] = [];
  let harmless = true;
  for (const { owner, pattern, place } of regexesOf(config, places)) {
    const expression = dotnetRegex(pattern);
    if (expression === null) findings.push(unreadable(owner, pattern, place));
    else if (probe.isSlow(expression.regex)) {
      harmless = false;
      const message = `The regular expression "${shown(pattern)}" of "${owner}" can backtrack without end on a text that does not match.`;
      const suggestion = "Change the expression so that no two nested or adjacent repetitions can match the same text.";
      findings.push(finding("RegexTooSlow", message, { ...place, suggestion }));
    }
  }
  return { findings, harmless };
}

function unreadable(owner: string, pattern: string, place: ConfigPlace): Finding {
  const text = shown(pattern);
  if (!dotnetOnlySyntax.test(pattern))
    return finding("InvalidRegex", `The regular expression "${text}" of "${owner}" has a syntax error.`, place);
  const message = `The regular expression "${text}" of "${owner}" uses syntax that is not supported.`;
  const suggestion = "Do not use conditions, balancing groups, \\G or named Unicode blocks.";
  return finding("InvalidRegex", message, { ...place, suggestion, severity: "Warning" });
}

function regexesOf(config: TemplateConfig, places: ConfigPlaces): TemplateRegex[] {
  const expressions: TemplateRegex[] = [];
  const add = (owner: string, pattern: string | null, place: ConfigPlace) => {
    if (pattern !== null && pattern !== "") expressions.push({ owner, pattern, place });
  };
  for (const [name, symbol] of config.symbols) {
    if (symbol.type !== "generated") continue;
    const at = (...more: (string | number)[]) => places.at("symbols", name, "parameters", ...more);
    const kind = symbol.generator.toLowerCase();
    if (kind === "regexmatch") add(name, textMember(symbol.parameters, "pattern"), at("pattern"));
    if (kind !== "regex") continue;
    objectsMember(symbol.parameters, "steps").forEach((step, index) =>
      add(name, textMember(step, "regex"), at("steps", index, "regex")),
    );
  }
  for (const [name, form] of config.forms)
    if (textMember(form, "identifier")?.toLowerCase() === "replace")
      add(name, textMember(form, "pattern"), places.at("forms", name, "pattern"));
  return expressions;
}

function shown(pattern: string): string {
  return pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern;
}
