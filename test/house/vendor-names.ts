import { parseSync, Visitor } from "oxc-parser";

/** The presets of vendors. */
export const presetFiles = [
  ...["provider", "business", "communication"].map(
    (kind) => `subgraphs/integration/src/providers/providers/${kind}-presets.ts`,
  ),
  "subgraphs/integration/src/providers/vendor-webhooks/webhook-presets.ts",
];

/** Vendors whose names are parts of other words or names of code. */
const ordinaryNames = new Set(["meta", "resend", "microsoft"]);

/** What the platform knows about vendors is data, and stands in these files only. */
export const vendorData = [
  ...presetFiles,
  "subgraphs/integration/src/providers/vendor-webhooks/signed-webhooks.ts",
  "subgraphs/integration/src/providers/vendor-webhooks/token-webhooks.ts",
  "subgraphs/integration/src/providers/providers/preset-commands.ts",
  "subgraphs/integration/src/providers/providers/preset-source-control.ts",
  "subgraphs/integration/src/providers/normalized-events/vendor-event-names.ts",
  "subgraphs/integration/src/providers/normalized-events/source-control-event-names.ts",
  "subgraphs/integration/src/deliveries/arrived-deliveries/vendor-actions.ts",
  // patterns of secrets that a template must not hold
  "subgraphs/catalog/src/templates/template-checks/content/secret-text.ts",
  // the versions of the format are URLs
  "subgraphs/catalog/src/git/git/lfs-pointer.ts",
];

/** The names of the vendors that have a preset, read from the source of the presets. A preset for any vendor names none. */
export function vendorNames(presets: string): string[] {
  return [...presets.matchAll(/name: "([a-z0-9]+)[a-z0-9-]*",\s+displayName: "[^"]*",\s+category: "(\w+)"/g)].flatMap(
    ([, name = "", category]) => (category === "Other" || ordinaryNames.has(name) ? [] : name),
  );
}

/**
 * Names, property names, regular expressions and texts without a space that name a vendor. A decision about a vendor needs
 * one of them. Comments and messages, which have spaces, may name a vendor as an example.
 */
export function vendorsInCode(file: string, source: string, vendors: readonly string[]): string[] {
  const named = new RegExp(vendors.join("|"), "i");
  if (!named.test(source)) return [];
  const found: string[] = [];
  const add = (text: string) => {
    if (named.test(text) && !/\s/.test(text)) found.push(`${file}: ${text}`);
  };
  new Visitor({
    Identifier: ({ name }) => add(name),
    PrivateIdentifier: ({ name }) => add(name),
    TemplateElement: ({ value }) => add(value.raw),
    Literal(node) {
      if ("regex" in node) add(node.regex.pattern);
      else if (typeof node.value === "string") add(node.value);
    },
  }).visit(parseSync(file, source).program);
  return found;
}
