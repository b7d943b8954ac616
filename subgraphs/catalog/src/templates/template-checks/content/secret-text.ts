import { positionAt } from "@factory/template-engine/jsonc";

/** Secret formats that issuers made recognizable. Every expression here matches in linear time. */
const forms: readonly { what: string; form: RegExp }[] = [
  { what: "a private key", form: /-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY-----\s+[A-Za-z0-9+/=]{16}/ },
  { what: "an access key of Amazon Web Services", form: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/ },
  { what: "a token of GitHub", form: /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60})/ },
  { what: "a token of GitLab", form: /\bglpat-[A-Za-z0-9_-]{20}/ },
  { what: "a token of Slack", form: /\bxox[abprs]-[0-9]{10}[A-Za-z0-9-]{10}/ },
  { what: "a key of Google Cloud", form: /\bAIza[0-9A-Za-z_-]{35}/ },
  { what: "a key of an Azure account", form: /\b(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{40}[A-Za-z0-9+/]*={1,2}/ },
  { what: "a secret key of Stripe", form: /\b[rs]k_live_[0-9A-Za-z]{24}/ },
  { what: "a key of nuget.org", form: /\boy2[a-z0-9]{43}\b/ },
  { what: "a token of npm", form: /\bnpm_[A-Za-z0-9]{36}\b/ },
];

/** The first secret in a text: its kind and place. The secret itself is never returned. */
export function secretIn(text: string): { what: string; line: number; column: number } | undefined {
  for (const { what, form } of forms) {
    const at = text.search(form);
    if (at >= 0) return { what, ...positionAt(text, at) };
  }
  return undefined;
}
