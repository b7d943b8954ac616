import fc from "fast-check";
import { loadTemplatePack, TemplateError } from "../configuration/template-pack.js";
import { unsafePath } from "../files/path-safety.js";
import { render } from "./render.js";
import { renderFiles, texts, tree } from "./template-pack.fixture.js";

const fragments = [
  "#if (A)\n",
  "#if (B)\n",
  "#elseif (A)\n",
  "#else\n",
  "#endif\n",
  "//#if (A)\n",
  "////#if (B)\n",
  "//#endif\n",
  "////#else\n",
  "<!--#if (A) -->\n",
  "<!--#endif -->\n",
  "-->",
  "-- >",
  "<!--",
  `<X Condition="'$(A)' == 'true'">`,
  "</X>",
  "<X ",
  "/>",
  '"',
  "'",
  "//-:cnd:noEmit\n",
  "//+:cnd:noEmit\n",
  "Company.App",
  "company_app",
  "TOKEN",
  "text\r\n",
  "\u00e9",
  "\n",
  "(",
  ")",
  "#if ",
  "/*#if",
  "*/",
];
const names = [
  "a.cs",
  "b.json",
  "c.csproj",
  "d.xml",
  "e.yml",
  "f.css",
  "g.vb",
  "Company.App/h.razor",
  "i.bat",
  "j.tsx",
  "k.haml",
  "l",
];
const content = fc.array(fc.constantFrom(...fragments), { maxLength: 24 }).map((parts) => parts.join(""));
const files = fc.dictionary(fc.constantFrom(...names), content, { maxKeys: 6, noNullPrototype: true });

const expression = fc
  .array(
    fc.constantFrom(
      "A",
      "B",
      "T",
      "(",
      ")",
      "&&",
      "||",
      "!",
      "==",
      "!=",
      " ",
      "'x'",
      '"',
      "1",
      "1.5",
      "true",
      "$(A)",
      "AND",
      "<",
      "+",
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

const junk: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string({ maxLength: 8 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    expression,
    fc.constantFrom(
      "parameter",
      "computed",
      "generated",
      "derived",
      "bind",
      "choice",
      "bool",
      "regex",
      "switch",
      "guid",
      "replace",
      "chain",
    ),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom(
        "type",
        "value",
        "datatype",
        "replaces",
        "fileRename",
        "generator",
        "parameters",
        "source",
        "steps",
        "regex",
        "pattern",
        "identifier",
        "forms",
        "global",
        "choices",
        "choice",
        "cases",
        "condition",
        "include",
        "exclude",
        "rename",
        "modifiers",
        "target",
        "path",
        "actionId",
        "args",
        "+x",
        "isRequired",
        "isEnabled",
        "valueSource",
        "valueTransform",
        "defaultValue",
        "operations",
        "configuration",
        "style",
      ),
      tie("value"),
      { maxKeys: 5 },
    ),
  ),
})).value;

const configKeys = [
  "identity",
  "sourceName",
  "symbols",
  "sources",
  "forms",
  "primaryOutputs",
  "postActions",
  "guids",
  "tags",
  "specialCustomOperations",
  "globalCustomOperations",
  "placeholderFilename",
  "constraints",
  "shortName",
];
const brokenConfig = fc.dictionary(
  fc.constantFrom(...configKeys),
  fc.oneof(
    junk,
    fc.dictionary(fc.constantFrom("A", "B", "T", "name", "*.cs", "**/*.json"), junk, { maxKeys: 4 }),
    fc.array(junk, { maxLength: 3 }),
  ),
);

const request = { name: "My.App", parameters: {}, seed: "s", now: new Date(0) };

function attempt(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
}

describe("robustness", () => {
  it("renders a random pack twice to the same bytes, every path safe", () => {
    fc.assert(
      fc.property(files, fc.boolean(), fc.boolean(), fc.string({ maxLength: 10 }), (pack, a, b, token) => {
        const config = {
          sourceName: "Company.App",
          guids: ["98048C9C-BF28-46BA-A98E-63767EE5E3A8"],
          symbols: {
            A: { type: "parameter", datatype: "bool" },
            B: { type: "computed", value: "!A || T == 'x'" },
            T: { type: "parameter", replaces: "TOKEN", fileRename: "h" },
            G: { type: "generated", generator: "guid", replaces: "text" },
            R: { type: "generated", generator: "random", parameters: { low: 1, high: 1000 }, replaces: "<!--" },
          },
        };
        const run = () =>
          attempt(() => {
            const result = renderFiles(config, pack, { parameters: { A: a, B: b, T: token } });
            for (const path of result.files.keys()) expect(unsafePath(path)).toBeUndefined();
            return { ...result, files: texts(result) };
          });
        expect(run()).toEqual(run());
      }),
      { numRuns: 300 },
    );
  });

  it("answers any bytes as configuration with a result or a TemplateError", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        attempt(() => loadTemplatePack(tree({ ".template.config/template.json": bytes })));
      }),
      { numRuns: 300 },
    );
  });

  it("answers any configuration with a result or a TemplateError", () => {
    fc.assert(
      fc.property(brokenConfig, files, (config, pack) => {
        const all = tree({ ".template.config/template.json": JSON.stringify(config), ...pack });
        attempt(() => render(loadTemplatePack(all), request));
      }),
      { numRuns: 700 },
    );
  });

  it("answers any condition and any bytes as content with a result", () => {
    const kinds = fc.constantFrom(...names);
    fc.assert(
      fc.property(kinds, fc.uint8Array({ maxLength: 200 }), content, expression, (name, bytes, text, condition) => {
        const symbols = { A: { type: "parameter", datatype: "bool" }, C: { type: "computed", value: condition } };
        const body = Buffer.concat([bytes, Buffer.from(`${text}#if (${condition})\n${text}`)]);
        attempt(() => renderFiles({ sourceName: "Company.App", symbols }, { [name]: body }));
      }),
      { numRuns: 500 },
    );
  });

  it("counts deep expressions as false, and says so in words", () => {
    const deep = "(".repeat(5_000) + "A" + ")".repeat(5_000);
    const chain = Array.from({ length: 20_000 }, () => "A").join(" && ");
    for (const value of [deep, chain, `${"!".repeat(50_000)}A`]) {
      const { warnings } = renderFiles(
        {
          symbols: { A: { type: "parameter", datatype: "bool" }, C: { type: "computed", value } },
          sources: [{ condition: value }],
        },
        { "a.cs": `#if (${value})\nx\n#endif\n` },
      );
      expect(warnings.map(({ message }) => message).join()).toMatch(
        /is treated as false: it has more than 1000 levels or operators/,
      );
    }
    const likely = Array.from({ length: 500 }, () => "(A)").join(" || ");
    expect(
      renderFiles(
        { symbols: { A: { type: "parameter", datatype: "bool", defaultValue: "true" } } },
        { "a.cs": `#if (${likely})\nx\n#endif\n` },
      ).warnings,
    ).toEqual([]);
  });

  it("tells of a value that nests too deeply without the engine's words", () => {
    const args = { jsonFileName: "a.json", newJsonPropertyName: "n", newJsonPropertyValue: "[".repeat(200_000) };
    const postActions = [{ actionId: "695A3659-EB40-4FF5-A6A6-C9C4E629FCB0", args }];
    const render = () => renderFiles({ postActions }, { "a.json": "{}" });
    expect(render).toThrow(
      /^The template cannot be rendered: a part of it nests too deeply, or a text becomes too long\.$/,
    );
  });
});
