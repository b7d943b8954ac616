import { yamlFault } from "./yaml-structure.js";

describe("yamlFault", () => {
  it.each<[string, string, number]>([
    ["a tab before the content", "a:\n\tb: 1\n", 2],
    ["a level that was never opened", "a:\n    b: 1\n  c: 2\n", 3],
    ["a mapping inside a plain value", "a: b: c\n", 1],
    ["a bracket left open", "on:\n  push: [main,\n  pull\n", 2],
    ["a brace left open", "a: {b: 1\n", 1],
    ["a bracket that closes nothing", "a: [b}]\n", 1],
    ["a quote left open", 'a: "b\nc: 1\n', 1],
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
  ])("is content with %s", (_what, text) => {
    expect(yamlFault(text)).toBeUndefined();
  });
});
