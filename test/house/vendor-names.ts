import { parseSync, Visitor } from "oxc-parser";

/** The vendors' presets. */
export const presetFiles = [
  ...["provider", "business", "communication"].map(
    (kind) => `subgraphs/integration/src/providers/providers/${kind}-presets.ts`,
  ),
  "subgraphs/integration/src/providers/vendor-webhooks/webhook-presets.ts",
];

/** Vendors whose names are parts of other words or code names. */
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
  // patterns for secrets that a template must not hold
  "subgraphs/catalog/src/templates/template-checks/content/secret-text.ts",
  // the format's versions are URLs
  "subgraphs/catalog/src/git/git/lfs-pointer.ts",
];

/** Vendors that have a preset, by names from the presets' source. A preset for any vendor names none. */
export function vendorNames(presets: string): string[] {
  return [...presets.matchAll(/name: "([a-z0-9]+)[a-z0-9-]*",\s+displayName: "[^"]*",\s+category: "(\w+)"/g)].flatMap(
    ([, name = "", category]) => (category === "Other" || ordinaryNames.has(name) ? [] : name),
  );
}

/**
 * Names, property names, regular expressions and texts without a space that name a vendor. A decision about a vendor
 * needs at least one. Comments and messages, which have spaces, may name a vendor as an example.
 */
export function vendorsInCode(file: string, source: string, vendors: readonly string[]): string[] {
  const vendorPattern = new RegExp(vendors.join("|"), "i");
  if (!vendorPattern.test(source)) return [];
  const hits: string[] = [];
  const add = (text: string) => {
    if (vendorPattern.test(text) && !/\s/.test(text)) hits.push(`${file}: ${text}`);
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
  return hits;
}
