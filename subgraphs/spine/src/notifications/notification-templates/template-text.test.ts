import { readTemplate, renderTemplate } from "./template-text.js";

const renderedText = (source: string, data: unknown, maxLength = 1000) =>
  renderTemplate(readTemplate(source), data, { maxLength });

describe("the text of a template", () => {
  it.each([
    ["a value", "Hello {{ name }}!", { name: "Ada" }, "Hello Ada!"],
    ["a member of a value", "{{user.address.city}}", { user: { address: { city: "Bern" } } }, "Bern"],
    ["a number and a truth value", "{{count}} {{on}}", { count: 3, on: true }, "3 true"],
    ["nothing for a value that is absent", "<{{name}}>", {}, "<>"],
    ["nothing for an object or a list", "<{{a}}{{b}}>", { a: { toString: "x" }, b: ["y"] }, "<>"],
    ["a section for each item", "{{#items}}[{{.}}]{{/items}}", { items: ["a", "b"] }, "[a][b]"],
    [
      "a section for each object, with the values around it",
      "{{#of}}{{a}}{{b}} {{/of}}",
      { b: 2, of: [{ a: 1 }] },
      "12 ",
    ],
    ["a section for a value that is there", "{{#reason}}({{reason}}){{/reason}}", { reason: "x" }, "(x)"],
    ["not a section for an empty text", "{{#reason}}({{reason}}){{/reason}}", { reason: "" }, ""],
    ["an inverted section where a list is empty", "{{^items}}none{{/items}}", { items: [] }, "none"],
    ["not an inverted section for a value that is there", "{{^items}}none{{/items}}", { items: 0 }, ""],
  ])("has %s", (_, source, data, expectedText) => {
    expect(renderedText(source, data)).toBe(expectedText);
  });

  it.each([
    "{{}}",
    "{{name",
    "{{a b}}",
    "{{a.}}",
    "{{&name}}",
    "{{> partial}}",
    "{{! comment }}",
    "{{=<% %>=}}",
    "{{a()}}",
    "{{a[0]}}",
    "{{__proto__}}",
    "{{#a}}",
    "{{/a}}",
    "{{#a}}{{/b}}",
    `${"{{#a}}".repeat(6)}${"{{/a}}".repeat(6)}`,
    "{{a.b.c.d.e.f}}",
  ])("is refused as %j", (source) => {
    expect(() => readTemplate(source)).toThrow(expect.objectContaining({ name: "TemplateTextError" }));
  });

  it("never reads a member of a prototype, nor the length of a text or a list", () => {
    const source = "<{{constructor.name}}{{toString}}{{text.length}}{{list.length}}{{hasOwnProperty}}>";
    expect(renderedText(source, { text: "abc", list: [1] })).toBe("<>");
    const hostileData: unknown = JSON.parse('{"__proto__":{"secret":"x"},"constructor":{"name":"own"}}');
    expect(renderedText("{{secret}}{{constructor.name}}", hostileData)).toBe("own");
  });

  it("does not render a value that looks like a template again", () => {
    expect(renderedText("{{name}}", { name: "{{secret}}{{#items}}", secret: "x" })).toBe("{{secret}}{{#items}}");
    expect(renderedText("{{{name}}}", { name: "x" })).toBe("{x}");
  });

  it("puts a value into one line, without control characters and turned directions", () => {
    const hostile = "a\r\nBcc: eve@evil.example\r\n\r\nb\u0000\u2028c\u202Ed\u2066e\uD800";
    expect(renderedText("{{name}}", { name: hostile })).toBe("a Bcc: eve@evil.example b c d e\uFFFD");
  });

  it("ends where the text is too long", () => {
    const huge = { name: "x".repeat(1_000_000), items: Array.from({ length: 1000 }, () => "y".repeat(100)) };
    for (const source of ["{{name}}", "{{#items}}{{.}}{{/items}}", "x".repeat(2000)])
      expect(() => renderedText(source, huge)).toThrow("The text is longer than 1000 characters.");
  });

  it("ends where sections multiply without a text", () => {
    const a = Array.from({ length: 1000 }, () => 1);
    const source = `${"{{#a}}".repeat(5)}${"{{/a}}".repeat(5)}`;
    const since = performance.now();
    expect(() => renderedText(source, { a })).toThrow("The sections have too many items.");
    expect(performance.now() - since).toBeLessThan(10_000);
  });

  it("reads deep data at its paths only", () => {
    let deep: unknown = "x";
    for (let level = 0; level < 200_000; level += 1) deep = { a: deep, b: "found" };
    expect(renderedText("{{a.a.b}}{{a}}{{#a}}{{b}}{{/a}}", deep)).toBe("foundfound");
  });
});
