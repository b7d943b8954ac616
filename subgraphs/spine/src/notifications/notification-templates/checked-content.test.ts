import type { DomainError } from "@factory/runtime/errors/domain-error";
import { checkedContent } from "./checked-content.js";
import type { SetNotificationTemplateInput } from "./notification-template.input.js";

const text = { locale: "en", subject: "Hello {{name}}", paragraphs: ["Thank you."] };
const name = { name: "name", type: "text" as const };
const url = { name: "url", type: "address" as const };
const items = { name: "items", type: "list" as const, members: ["title", "price"] };
const input = (changes: Partial<SetNotificationTemplateInput> = {}): SetNotificationTemplateInput => ({
  variables: [name],
  texts: [text],
  ...changes,
});
const withParagraph = (paragraph: string, ...variables: SetNotificationTemplateInput["variables"] & object) =>
  input({ variables: [name, items, ...variables], texts: [{ ...text, paragraphs: [paragraph] }] });

/** The refusal's pointers and codes. */
function problemsOf(content: SetNotificationTemplateInput, locale = "en"): string[] {
  try {
    checkedContent(content, locale);
    return [];
  } catch (error) {
    const { code, facts } = error as DomainError;
    expect(code).toBe("NOTIFICATION_TEMPLATE_INVALID");
    return (facts["errors"] as { pointer: string; code: string }[]).map((error) => `${error.pointer} ${error.code}`);
  }
}

describe("the content of a template", () => {
  it("is stored with its defaults and the canonical language tags", () => {
    const content = input({ texts: [text, { ...text, locale: "pt-br" }] });
    expect(checkedContent(content, "en")).toEqual({
      variables: [{ name: "name", type: "text", isOptional: false, members: [] }],
      linkVariable: null,
      texts: [
        { ...text, linkLabel: null },
        { ...text, locale: "pt-BR", linkLabel: null },
      ],
    });
  });

  it.each([
    ["{{#items}}{{title}}: {{price}} for {{name}}{{/items}}"],
    ["{{^items}}None, {{name}}.{{/items}}"],
    ["{{#name}}{{.}}{{/name}}"],
    ["{{ name }} {name}"],
  ])("may be %j", (paragraph) => {
    expect(problemsOf(withParagraph(paragraph))).toEqual([]);
  });

  it.each([
    ["a tag without an end", "{{name", "FORMAT"],
    ["a section without an end", "{{#name}}", "FORMAT"],
    ["an unknown command", "{{> other}}", "FORMAT"],
    ["a name that is not declared", "{{nam}}", "UNKNOWN_VALUE"],
    ["a name of a prototype", "{{constructor}}", "UNKNOWN_VALUE"],
    ["a member outside of its list", "{{title}}", "UNKNOWN_VALUE"],
    ["a member that is not declared", "{{#items}}{{name}}{{titel}}{{/items}}", "UNKNOWN_VALUE"],
    ["a path into a value", "{{name.first}}", "UNKNOWN_VALUE"],
    ["a list as a value", "{{items}}", "UNKNOWN_VALUE"],
    ["an item outside of a section", "{{.}}", "UNKNOWN_VALUE"],
  ])("is refused with %s", (_, paragraph, code) => {
    expect(problemsOf(withParagraph(paragraph))).toEqual([`/input/texts/0/paragraphs/0 ${code}`]);
  });

  it.each<[string, Partial<SetNotificationTemplateInput>, string]>([
    ["a variable twice", { variables: [name, name] }, "/input/variables/1/name DUPLICATE"],
    ["members of a text", { variables: [{ ...name, members: ["first"] }] }, "/input/variables/0/members NOT_ALLOWED"],
    [
      "a link to a text",
      { linkVariable: "name", texts: [{ ...text, linkLabel: "Go" }] },
      "/input/linkVariable UNKNOWN_VALUE",
    ],
    ["a link without a label", { variables: [name, url], linkVariable: "url" }, "/input/texts/0/linkLabel REQUIRED"],
    ["a label without a link", { texts: [{ ...text, linkLabel: "Go" }] }, "/input/texts/0/linkLabel NOT_ALLOWED"],
    ["a language twice", { texts: [text, { ...text, locale: "EN" }] }, "/input/texts/1/locale DUPLICATE"],
    ["a tag that is not one", { texts: [text, { ...text, locale: "x-y-aaaaaaaaa" }] }, "/input/texts/1/locale FORMAT"],
    ["neither the last language", { texts: [{ ...text, locale: "de" }] }, "/input/texts REQUIRED"],
    [
      "more than 32 KiB",
      { texts: [{ ...text, paragraphs: Array.from({ length: 7 }, () => "x".repeat(5000)) }] },
      "/input/texts TOO_LONG",
    ],
  ])("is refused with %s", (_, changes, expectedProblem) => {
    expect(problemsOf(input(changes))).toEqual([expectedProblem]);
  });

  it("needs no English in a tenant with another language", () => {
    const content = input({ texts: [{ ...text, locale: "de" }] });
    expect(problemsOf(content, "de-CH")).toEqual([]);
    expect(problemsOf(content, "fr")).toEqual(["/input/texts REQUIRED"]);
  });

  it("is refused with at most 100 problems, and reads hostile texts in a short time", () => {
    const hostile = ["{{".repeat(2500), `{{${" ".repeat(4990)}`, `{{#a}}${"{{a}}".repeat(999)}`, "{{{".repeat(1600)];
    const texts = Array.from({ length: 20 }, (_, at) => ({
      ...{
        locale: `en-x-a${at}`,
        subject: "{{",
        paragraphs: Array.from({ length: 20 }, (_none, index) => hostile[index % 4] ?? ""),
      },
    }));
    const since = performance.now();
    expect(problemsOf(input({ texts }))).toHaveLength(100);
    expect(performance.now() - since).toBeLessThan(10_000);
  });
});
