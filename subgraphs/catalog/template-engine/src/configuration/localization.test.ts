import { tree } from "../rendering/template-pack.fixture.js";
import { localeFallbacks } from "./localization.js";
import { describeTemplate, localizedDescription } from "./template-description.js";
import { loadTemplatePack } from "./template-pack.js";

const folder = ".template.config";
const config = {
  identity: "Acme.Api",
  name: "Acme API",
  description: "An API.",
  author: "Acme",
  shortName: ["acme-api"],
  tags: { language: "C#", type: "project" },
  symbols: {
    Framework: {
      type: "parameter",
      datatype: "choice",
      description: "The target framework.",
      isRequired: true,
      choices: [{ choice: "net8.0", description: "Target net8.0" }, { choice: "net9.0" }],
    },
    Secret: { type: "parameter", datatype: "text", displayName: "Secret name", defaultValue: "x" },
    Computed: { type: "computed", value: "true" },
  },
};
const german = {
  author: "Acme GmbH",
  name: "Acme-API",
  description: "Eine API.",
  "symbols/Framework/displayName": "Framework",
  "symbols/Framework/description": "Das Zielframework.",
  "symbols/Framework/choices/net8.0/description": "Ziel net8.0",
  "postActions/restore/description": "Wiederherstellen",
};
const files = (translations: Record<string, unknown>) =>
  tree({
    [`${folder}/template.json`]: JSON.stringify(config),
    [`${folder}/dotnetcli.host.json`]: JSON.stringify({
      symbolInfo: { Framework: { longName: "framework", shortName: "f" }, Secret: { isHidden: true } },
    }),
    ...Object.fromEntries(
      Object.entries(translations).map(([culture, texts]) => [
        `${folder}/localize/templatestrings.${culture}.json`,
        typeof texts === "string" ? texts : JSON.stringify(texts),
      ]),
    ),
  });
const descriptionFor = (locale: string, translations: Record<string, unknown>) =>
  localizedDescription(describeTemplate(loadTemplatePack(files(translations))), localeFallbacks(locale) ?? []);

describe("what a person is told about a template", () => {
  it("has names, descriptions and options of the template", () => {
    const { description, culture } = descriptionFor("fr", { de: german });
    expect(culture).toBeNull();
    expect(description).toMatchObject({ name: "Acme API", shortNames: ["acme-api"], language: "C#", type: "project" });
    expect(description.parameters).toMatchObject([
      { name: "Framework", aliases: ["framework", "f"], hidden: false, required: true, displayName: null },
      { name: "Secret", aliases: [], hidden: true, required: false, displayName: "Secret name", defaultValue: "x" },
    ]);
  });

  it("is localized where the culture has a text", () => {
    const { description, culture } = descriptionFor("de-AT", { de: german });
    expect(culture).toBe("de");
    expect(description).toMatchObject({ name: "Acme-API", description: "Eine API.", author: "Acme GmbH" });
    expect(description.parameters[0]).toMatchObject({
      displayName: "Framework",
      description: "Das Zielframework.",
      choices: [
        { choice: "net8.0", description: "Ziel net8.0" },
        { choice: "net9.0", description: null },
      ],
    });
    expect(description.parameters[1]).toMatchObject({ displayName: "Secret name" });
  });

  it.each([
    ["de-CH-1996", ["de-CH-1996", "de-CH", "de-Latn-CH", "de-Latn", "de"]],
    ["zh-TW", ["zh-TW", "zh-Hant-TW", "zh-Hant", "zh"]],
    ["pt", ["pt-Latn-BR", "pt-Latn", "pt-BR", "pt"]],
    ["en-us-u-ca-gregory", ["en-US", "en-Latn-US", "en-Latn", "en"]],
  ])("looks for %s among its fallbacks", (locale, chain) => {
    expect(localeFallbacks(locale)).toEqual(chain);
  });

  it("knows no malformed language tag", () => {
    expect(localeFallbacks("not a tag")).toBeUndefined();
    expect(localeFallbacks("")).toBeUndefined();
  });

  it.each([
    ["zh-CN", "zh-Hans"],
    ["zh-HK", "zh-Hant"],
    ["pt", "pt-BR"],
    ["PT-br", "pt-BR"],
  ])("%s finds the file of %s", (locale, culture) => {
    const name = { name: "found" };
    expect(descriptionFor(locale, { "zh-Hans": name, "zh-Hant": name, "pt-BR": name }).culture).toBe(culture);
  });

  it.each([
    ["not JSON", "{"],
    ["a list", "[]"],
    ["a text that is none", { name: "x", "symbols/A/description": 1 }],
    ["too large", { name: "x".repeat(128 * 1024) }],
  ])("leaves out a file that is %s", (_, texts) => {
    expect(descriptionFor("de", { de: texts })).toMatchObject({ culture: null, description: { name: "Acme API" } });
  });
});
