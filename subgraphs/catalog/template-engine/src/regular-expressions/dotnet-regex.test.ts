import { dotnetRegex, dotnetReplace } from "./dotnet-regex.js";

const replace = (pattern: string, text: string, by = "_") => {
  const regex = dotnetRegex(pattern);
  return regex === null ? null : dotnetReplace(text, regex, by);
};

describe("regular expressions of .NET", () => {
  it.each<[string, string, string, string]>([
    ["\\w+", "é١_", "x", "x"],
    ["\\W", "a-b", "_", "a_b"],
    ["\\d", "٣", "3", "3"],
    ["[\\w.]+", "ab.cd é", "x", "x x"],
    ["[^\\w]", "a b", "_", "a_b"],
    ["[\\W]", "a-b c", "_", "a_b_c"],
    ["[\\Wb]+", "a-b c", "_", "a_c"],
    ["[^\\W]", "é-b", "x", "x-x"],
    ["[^\\W_]", "a_b", "x", "x_x"],
    ["[^\\S ]", "a\tb c", "_", "a_b c"],
    ["\\s", "a\u0085\u00a0\ufeffb", "_", "a__\ufeffb"],
    ["[\\s]", "a\u0085b", "_", "a_b"],
    ["[a-z-[aeiou]]", "abcde", "_", "a___e"],
    ["[\\w-[\\d]]", "a1", "_", "_1"],
    ["[^a-c-[x]]", "axd", "_", "ax_"],
    ["[a-]", "a-b", "_", "__b"],
    ["(?i)[^\\W]A", "aa", "_", "_"],
    ["b$", "ab\n", "c", "ac\n"],
    ["\\Aab\\z", "ab", "x", "x"],
    ["(?i)AB", "xab", "-", "x-"],
    ["(?<n>a)b", "ab", "${n}!", "a!"],
    ["(?'n'a)b", "ab", "${n}", "a"],
    ["(a)(b)", "ab", "$2$1$0", "baab"],
    ["a", "a", "$$", "$"],
    ["a", "xay", "[$`|$']", "x[x|y]y"],
    ["a", "a", "$9", "$9"],
    ["a{2}", "aaa", "b", "ba"],
    ["{x}", "{x}", "y", "y"],
    ["a]", "a]", "b", "b"],
    ["[]a]", "]a", "b", "bb"],
    ["\\-\\_\\ ", "-_ ", "x", "x"],
    ["\\bfoo\\b", "foo food", "bar", "bar food"],
    ["", "ab", "-", "-a-b-"],
    ["a.*", "ab\r\nc", "x", "x\nc"],
    ["(?s)a.*", "ab\r\nc", "x", "x"],
    ["(?m)^.", "ab\rc\nd", "x", "xb\rc\nx"],
    ["(?m).$", "ab\rc\nd", "x", "ab\rx\nx"],
    ["a(?i)b|c", "aB C", "x", "x x"],
    ["(a(?i)b)c", "aBc aBC", "x", "x aBC"],
    ["(?i:a)b", "Ab AB", "x", "x AB"],
    ["(?i)a(?-i)b", "Ab AB", "x", "x AB"],
    ["a(?s:.)b.", "a\nbc a\nb\n", "x", "x a\nb\n"],
    ["a(?# never mind (this)b", "ab", "x", "x"],
    ["(?x) a b # both\n c", "abc a b", "x", "x a b"],
    ["(?>a+)b", "aab", "x", "x"],
    ["(?>a+)a", "aaa", "x", "aaa"],
    ["(?>a|ab)+c", "aac abc", "x", "x abc"],
    ["(a)(?>b)(c)", "abc", "$1-$2-$3", "a-c-$3"],
    ["(?<=a)b(?!c)(?:d)(?=e)", "abde abc", "x", "axe abc"],
    ["\\(a\\)|[(|)]", "(a)|", "x", "xx"],
  ])("%s in %j by %j gives %j", (pattern, text, by, result) => {
    expect(replace(pattern, text, by)).toBe(result);
  });

  it("says when an expression cannot be read", () => {
    expect(replace("(", "x")).toBeNull();
    expect(replace("[", "x")).toBeNull();
    expect(replace("[\\W", "x")).toBeNull();
    expect(replace("[a-[b]", "x")).toBeNull();
    expect(replace("(?<n", "x")).toBeNull();
    expect(replace("a)b", "x")).toBeNull();
    expect(replace("(?i)a(?-i)b)", "x")).toBeNull();
    expect(replace("(?#", "x")).toBeNull();
  });
});
