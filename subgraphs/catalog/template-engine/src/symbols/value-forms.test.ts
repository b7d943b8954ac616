import { TemplateError } from "../findings/template-error.js";
import { ValueForms } from "./value-forms.js";

const forms = new ValueForms(
  new Map([
    ["dots", { identifier: "replace", pattern: "\\.", replacement: "_" }],
    ["lastPart", { identifier: "replace", pattern: "^.*\\.(?=[^\\.]+$)", replacement: "" }],
    ["swap", { identifier: "replace", pattern: "(?<first>\\w+) (\\w+)", replacement: "$1 ${first}$$" }],
    ["chained", { identifier: "chain", steps: ["lastPart", "kebab"] }],
    ["looped", { identifier: "chain", steps: ["looped"] }],
    ["broken", { identifier: "replace", pattern: "(", replacement: "" }],
    ["strange", { identifier: "pigLatin" }],
    ["bare", {}],
    ["kebab", { identifier: "kebabCase" }],
    ["snake", { identifier: "snakeCase" }],
    ["title", { identifier: "titleCase" }],
    ["json", { identifier: "jsonEncode" }],
    ["xml", { identifier: "xmlEncode" }],
    ["lc", { identifier: "lowerCase" }],
    ["lci", { identifier: "lowerCaseInvariant" }],
    ["uc", { identifier: "upperCase" }],
    ["uci", { identifier: "upperCaseInvariant" }],
    ["flc", { identifier: "firstLowerCase" }],
    ["fuc", { identifier: "firstUpperCaseInvariant" }],
    ["safe", { identifier: "safe_name" }],
  ]),
);

describe("value forms", () => {
  it.each([
    ["identity", " My.App ", " My.App "],
    ["safe_name", " My.App-1 ", "My_App_1"],
    ["safe_name", "1st.2nd", "_1st__2nd"],
    ["lower_safe_name", "My.App", "my_app"],
    ["safe_namespace", "My.App-1", "My.App_1"],
    ["safe_namespace", "1st.2nd", "_1st._2nd"],
    ["safe_namespace", ".a.", "_a_"],
    ["safe_namespace", "a..b c", "a..b_c"],
    ["safe_namespace", "Ünï.😀", "Ünï._"],
    ["lower_safe_namespace", "My.App-1", "my.app_1"],
    ["dots", "a.b.c", "a_b_c"],
    ["lastPart", "My.Big.App", "App"],
    ["chained", "My.BigApp", "big-app"],
    ["kebab", "MyHTMLParser 2Go", "my-html-parser-2-go"],
    ["kebab", "some_snake.case", "some-snake-case"],
    ["snake", "MyHTMLParser", "my_html_parser"],
    ["title", "hello wORLD it's NASA", "Hello World It's NASA"],
    ["json", 'a"b\\c\n', '"a\\"b\\\\c\\n"'],
    ["xml", `<a> & "b"`, `&lt;a&gt; &amp; "b"`],
    ["lc", "ÀB", "àb"],
    ["lci", "AB", "ab"],
    ["uc", "straße", "STRAßE"],
    ["uci", "ab", "AB"],
    ["uc", "ıi", "ıI"],
    ["uci", "ſı", "Sı"],
    ["lc", "İI", "İi"],
    ["lci", "\u212aİ", "kİ"],
    ["lower_safe_name", "İ.Ab", "İ_ab"],
    ["flc", "İI", "İI"],
    ["fuc", "ıi", "ıi"],
    ["fuc", "ßa", "ßa"],
    ["fuc", "𐐨a", "𐐨a"],
    ["title", "ıi ßa ǆa 𐐨a", "ıi ßa ǅa 𐐀a"],
    ["kebab", "İstanbulIsı My😀App", "İstanbul-isı-my-app"],
    ["flc", "ABC", "aBC"],
    ["fuc", "abc", "Abc"],
    ["safe", "a-b", "a_b"],
    ["swap", "one two", "two one$"],
    ["bare", "A.b", "A.b"],
    ["lowerCase", "AB", "ab"],
    ["upperCaseInvariant", "ab", "AB"],
    ["firstUpperCase", "ab", "Ab"],
    ["kebabCase", "MyApp", "my-app"],
    ["snakeCase", "MyApp", "my_app"],
    ["titleCase", "my app", "My App"],
    ["jsonEncode", "a", '"a"'],
    ["xmlEncode", "<", "&lt;"],
    ["chain", "Ab", "Ab"],
    ["replace", "Ab", "Ab"],
  ])("%s of %j is %j", (name, value, result) => {
    expect(forms.apply(name, value)).toBe(result);
  });

  it("knows when a form does not exist", () => {
    expect(forms.apply("none", "x")).toBeUndefined();
    expect(forms.apply("lowercase", "x")).toBeUndefined();
  });

  it.each(["looped", "broken", "strange"])("refuses %s", (name) => {
    expect(() => forms.apply(name, "x")).toThrow(TemplateError);
  });

  it("reads an unknown identifier as the identity where that is asked for", () => {
    const lenient = new ValueForms(new Map([["strange", { identifier: "pigLatin" }]]), "identity");
    expect(lenient.apply("strange", "a-b")).toBe("a-b");
  });
});
