import { type Prose, proseOf } from "./source-text.js";
import { isForTests, isGenerated, root, trackedFiles } from "./tracked-files.js";

/** A phrase that is hard to understand, with the advice for a better one. */
interface Pattern {
  readonly name: string;
  readonly expression: RegExp;
}

// a sentence begins where a text starts, where the previous sentence ends, or after a colon
const begins = String.raw`(?:^|[.!?:]\s+|["(]\s*)`;

const patterns: readonly Pattern[] = [
  { name: '"is no": write "is not a"', expression: /\bis no\b(?! longer| more)/i },
  {
    name: "a sentence begins with Of, Who, Whose, Whoever, What, Whatever or Nobody",
    expression: new RegExp(`${begins}(?:Of|Who|Whose|Whoever|What|Whatever|Nobody)\\b`),
  },
  { name: "a text begins with of, who, what", expression: /^(?:of|who|whose|whoever|what|whatever|nobody)\b/ },
  { name: "he, him or his", expression: /\b(?:he|him|his)\b/i },
];

/** A text that may break a pattern, with the reason. */
export interface Exception {
  readonly file: string;
  /** An excerpt from the text. */
  readonly text: string;
  readonly reason: string;
}

interface Finding extends Prose {
  readonly pattern: string;
}

/** The places under `folder` whose prose breaks a pattern. Files that a tool writes are not read. */
export async function hardEnglish(exceptions: readonly Exception[], folder = root, under = ""): Promise<Finding[]> {
  const files = trackedFiles(folder).filter(
    (file) =>
      file.startsWith(under) &&
      !isGenerated(file) &&
      !file.startsWith("test/fixtures/") &&
      !file.includes("test/house/"),
  );
  const findings: Finding[] = [];
  for (const file of files) {
    for (const prose of await proseOf(file, folder, !isForTests(file))) {
      const isExcused = exceptions.some((exception) => exception.file === file && prose.text.includes(exception.text));
      const brokenPattern = patterns.find(({ expression }) => expression.test(withoutCode(prose.text)));
      if (brokenPattern && !isExcused) findings.push({ ...prose, pattern: brokenPattern.name });
    }
  }
  return findings;
}

/** Names in code and quotations do not count as sentences. */
const withoutCode = (text: string): string => text.replace(/`[^`]*`/g, "code");
