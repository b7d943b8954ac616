import { maxYamlLength, yamlFault } from "./yaml-fault.js";

const fill = (part: string) => part.repeat(Math.floor(maxYamlLength / part.length));

describe("yamlFault", () => {
  it.each<[string, string, number]>([
    ["a tab before the content", "a:\n\tb: 1\n", 2],
    ["a level that was never opened", "a:\n    b: 1\n  c: 2\n", 3],
    ["a mapping inside a plain value", "a: b: c\n", 1],
    ["a bracket left open", "on:\n  push: [main,\n  pull\n", 2],
    ["a brace left open", "a: {b: 1\n", 1],
    ["a bracket that closes nothing", "a: [b}]\n", 1],
    ["a quote left open", 'a: "b\nc: 1\n', 1],
    ["a key that repeats", "a: 1\nb:\n  c: 1\n  c: 2\n", 4],
    ["a quoted key that repeats", "a: 1\n'a': 2\n", 2],
    ["an alias without an anchor", "a: 1\nb: *x\n", 2],
    ["an alias above its anchor", "a: *x\nb: &x 1\n", 1],
    ["an anchor of another document", "a: &x 1\n---\na: 1\nb: *x\n", 4],
    ["a fault in a later document", "a: 1\n---\nb: [\n---\nc: 1\n", 3],
    ["a plain value that begins with a reserved sign", "a: 1\nb: @c\n", 2],
    ["a directive without a document", "%YAML 1.2\n", 2],
  ])("finds %s", (_what, text, line) => {
    expect(yamlFault(text)).toMatchObject({ line, column: expect.any(Number) });
  });

  it.each<[string, string]>([
    [
      "a pipeline",
      "name: ci\non:\n  push:\n    branches: [ main ]\njobs:\n  build:\n    steps:\n    - uses: a/b@v4\n      with:\n        x: 'y'\n    - run: |\n        if [ a ]; then\n          \techo b: c: d\n        fi\n    - run: dotnet test\n",
    ],
    [
      "services",
      'services:\n  db:\n    image: postgres:17\n    ports:\n      - "5432:5432"\n    environment:\n      - A=b: c\nvolumes: {}\n',
    ],
    ["folded text", "a: >-\n  some: text: here\n\n  more\nb: 1\n"],
    ["several documents", "---\na: 1\n---\n  b: 2\n...\n"],
    ["comments", "# a: b: c\na: 1 # b: c\n   # deep\nb: 'it''s' # x\n"],
    ["anchors", "a: &x\n  b: 1\nc: *x\nd: !!str 1\n<<: *x\n"],
    ["addresses", "url: https://example.com:80/a\ntime: 12:30:00\nkey: value:with:colons\n"],
    ["flows over lines", "a: [\n  1, 2,\n  {b: 'c]'}\n]\nb: {c: 1,\n d: 2}\n"],
    ["quotes over lines", 'a: "b\n  c: d"\ne: 1\n'],
    ["further lines of a plain text", "a: one\n  two\n   three\nb: 1\n"],
    ["nested lists", "- - a\n  - b\n-\n  c: 1\n- d: 1\n  e: 2\n"],
    ["another template language", "a: {{ .Values.b }\n\tc\n"],
    ["nothing", "\n\n"],
    ["wide line ends", "a:\r\n  b: 1\r\nc: 2\r\n"],
    ["single carriage returns", "a:\r  b: 1\rc: 2\r"],
    ["tags of other readers", "a: !Ref b\nc: !!binary d\ne: !!int f\n"],
    ["keys that differ in their type", 'a:\n  1: x\n  "1": y\n'],
    ["an anchor that contains its alias", "a: &x [*x]\n"],
    ["the same key in several documents", "a: 1\n---\na: 2\n"],
  ])("is content with %s", (_what, text) => {
    expect(yamlFault(text)).toBeUndefined();
  });
});

describe("yamlFault: a text made to take time and memory", () => {
  /** Processor time in ms. It takes 2 s on a fast machine, and many minutes where the time grows with the square. */
  const enoughMs = 40_000;
  const laughs = Array.from({ length: 2000 }, (_, level) => `a${level}: &a${level} [${filledWith(level)}]`).join("\n");

  it.each<[string, string]>([
    ["aliases that multiply", laughs],
    ["keys that all differ", Array.from({ length: 25_000 }, (_, index) => `k${index}: 1`).join("\n")],
    ["very many documents", fill("---\n")],
    ["very many comments", fill("# a\n")],
    ["very many aliases", `a: &a 1\nb:\n${fill("  - *a\n").slice(70)}`],
  ])("reads %s in time", (_what, text) => {
    const before = process.cpuUsage();
    expect(yamlFault(text)).toBeUndefined();
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(enoughMs);
  });

  it.each<[string, string]>([
    ["brackets", "["],
    ["braces", "{a: "],
    ["lists", "- "],
    ["keys", "? "],
    ["colons", ": "],
    ["commas", ", "],
    ["anchors", "&a "],
    ["tags", "!a "],
    ["quotes", "'' "],
    ["directives", "% a\n"],
    ["tabs", "\ta: "],
  ])("refuses a text of nothing but %s in time", (_what, part) => {
    const before = process.cpuUsage();
    expect(yamlFault(fill(part))).toMatchObject({ line: expect.any(Number) });
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(enoughMs);
  });

  it("leaves out a text over the limit", () => {
    expect(yamlFault(`${fill("a: b: c\n")}${"#".repeat(10)}`)).toBeUndefined();
  });

  function filledWith(level: number): string {
    return level === 0 ? "lol" : Array.from({ length: 9 }, () => `*a${level - 1}`).join(", ");
  }
});
