import { builtInTemplates, digestTemplate } from "./built-in-templates.js";
import { dataProblems } from "./check-data.js";
import { composeMessage, composition, plainBody } from "./compose-message.js";
import type { MessageTemplate } from "./message-template.js";

const template = (key: string) => builtInTemplates.get(key) as MessageTemplate;
const reportReady = template("report-ready");
const url = "https://factory.example/reports/1";
const example = {
  templateName: "web-api",
  repository: "acme/orders",
  featureName: "executions",
  limit: 5,
  reportName: "Usage",
  url,
};

describe("a message of a template", () => {
  it.each([
    ["de-CH", null, "de"],
    ["pt-BR", "fr-CA", "fr"],
    ["pt-BR", "ja", "en"],
    [null, null, "en"],
    ["constructor", "__proto__", "en"],
  ])("for %s in a tenant with %s is in %s", (recipientLocale, ofTenant, expectedLocale) => {
    expect(composeMessage(reportReady, example, [recipientLocale, ofTenant]).locale).toBe(expectedLocale);
  });

  it.each([...builtInTemplates.keys()])("%s is complete in every language", (key) => {
    const { texts, variables, linkTo } = template(key);
    for (const locale of Object.keys(texts)) {
      const message = composeMessage(template(key), example, [locale]);
      expect(message).toMatchObject({ locale, title: expect.stringMatching(/\S/), link: { url } });
      for (const [name, { optional }] of Object.entries(variables))
        if (!optional && name !== linkTo)
          expect(plainBody(message) + message.title).toContain(String(example[name as "limit"]));
    }
  });

  it("leaves out what has no value", () => {
    const message = composeMessage(template("limit-reached"), { featureName: "executions", limit: 5 }, ["en"]);
    expect(message).toEqual({
      locale: "en",
      title: "The limit of executions is reached",
      paragraphs: ["Your plan includes 5 of executions, and all of it is used."],
      link: undefined,
    });
  });

  it.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "https://user:secret@evil.example/",
    "//evil.example",
    `https://a.example/${"x".repeat(3000)}`,
    'https://a.example/"><script>',
    42,
  ])("has not the link %j as it is", (address) => {
    const { link } = composeMessage(reportReady, { reportName: "Usage", url: address }, ["en"]);
    if (typeof address === "string" && address.includes("<script>"))
      expect(link?.url).toBe("https://a.example/%22%3E%3Cscript%3E");
    else expect(link).toBeUndefined();
  });

  it("is refused where a value makes it too long", () => {
    expect(() => composeMessage(reportReady, { reportName: "x".repeat(300), url }, ["en"])).toThrow(
      "The text is longer than 200 characters.",
    );
    const items = Array.from({ length: 100 }, () => ({ title: "t", body: "b".repeat(1000) }));
    expect(() => composeMessage(digestTemplate, { count: 100, items }, ["en"])).toThrow("longer than 10000");
  });

  it("names each value that is missing or wrong", () => {
    const data: unknown = JSON.parse('{"__proto__":{"reportName":"x"},"url":"javascript:alert(1)"}');
    expect(dataProblems(reportReady, data as Record<string, unknown>)).toMatchObject([
      { pointer: "/data/reportName", code: "REQUIRED" },
      { pointer: "/data/url", code: "FORMAT" },
    ]);
    expect(dataProblems(template("limit-reached"), { featureName: ["x"], limit: "5", resetAt: {} })).toMatchObject([
      { pointer: "/data/featureName", code: "TYPE" },
      { pointer: "/data/limit", code: "TYPE" },
      { pointer: "/data/resetAt", code: "TYPE" },
    ]);
    expect(dataProblems(reportReady, example)).toEqual([]);
  });
});

describe("a message with many items", () => {
  const paragraphs = Array.from({ length: 20 }, () => "{{#items}}{{value}}{{/items}}a");
  const heavy = (count: number) =>
    [
      { key: "heavy", variables: {}, texts: { en: { subject: "Heavy", paragraphs } } },
      { items: Array.from({ length: count }, (_, at) => at), value: "\u0007".repeat(60) },
      ["en"],
    ] as const;

  it("pauses, and is the same as without a pause", () => {
    const work = composition(...heavy(100));
    let pauses = 0;
    let result = work.next();
    for (; !result.done; result = work.next()) pauses += 1;
    expect(pauses).toBeGreaterThanOrEqual(15);
    expect(result.value).toMatchObject({ message: composeMessage(...heavy(100)), steps: expect.any(Number) });
  });

  it("ends where the items of all paragraphs together are too many", () => {
    expect(() => composeMessage(...heavy(1000))).toThrow("The sections have too many items.");
  });
});
