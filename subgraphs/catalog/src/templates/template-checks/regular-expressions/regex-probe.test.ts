import { dotnetRegex } from "@factory/template-engine/dotnet-regex";
import { RegexProbe } from "./regex-probe.js";

const quick = { suspicionMs: 50, certaintyMs: 150 };

describe("RegexProbe", () => {
  it.each([
    "^(a+)+$",
    "^(a|a)*$",
    "^([a-z]+)*@",
    "^(\\w+\\s?)*$",
    "^x(\\d+)+y",
    "(x+x+)+y",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "^[\\s\\u200c]*(?:[a-z]+-?)*!$",
    "\\s*\\s*\\s*\\s*x",
    "^(?=(a+)+$)b",
    "^v\\.(?:[0-9]{2,})*$",
  ])("finds %s slow", (pattern) => {
    expect(new RegexProbe(quick).isSlow(new RegExp(pattern, "u"))).toBe(true);
  });

  it.each([
    "^[A-Za-z][A-Za-z0-9.]*$",
    "^[a-z0-9]+(?:-[a-z0-9]+)*$",
    "^(?:0|[1-9]\\d*)\\.(?:0|[1-9]\\d*)\\.(?:0|[1-9]\\d*)$",
    "\\s+$",
    "^.*\\.(?=[^\\.]+$)",
    "^(|10\\.0|10|preview|latest|default)$",
    "^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$",
    "^(?:[a-z]{1,3},)*[a-z]$",
    "[",
    "",
  ])("finds %j harmless", (pattern) => {
    const expression = pattern === "[" ? /\[/u : new RegExp(pattern, "u");
    expect(new RegexProbe().isSlow(expression)).toBe(false);
  });

  it.each(["\\b\\w+\\b", "(?i)^(?<first>\\w)(?<rest>\\w*)$", "[^\\w.]", "^\\d{4}-\\d\\d$"])(
    "finds .NET's %s harmless",
    (pattern) => {
      const expression = dotnetRegex(pattern);
      expect(expression && new RegexProbe().isSlow(expression.regex)).toBe(false);
    },
  );
});
