import { renderFailed, slowRegex, type TemplateError } from "../findings/template-error.js";
import { type DotnetRegex, dotnetRegex, dotnetReplace } from "./dotnet-regex.js";
import { PatternTimeLimit, PatternTimeLimitExceeded } from "./pattern-time-limit.js";

/** A template's regular expression and its place. */
export interface TemplatePattern {
  /** Null when the template does not give one. */
  readonly pattern: string | null;
  /** The symbol or form that has the expression, as a sentence's subject. */
  readonly owner: string;
  /** JSON pointer into template.json. */
  readonly pointer: string;
}

const maxShownLength = 200;

/** Evaluates one render's regular expressions within their time limit. */
export class TemplatePatterns {
  readonly #timeLimit: PatternTimeLimit;

  constructor(timeLimit = new PatternTimeLimit()) {
    this.#timeLimit = timeLimit;
  }

  replace(text: string, pattern: TemplatePattern, replacement: string): string {
    return this.#evaluate(pattern, (regex) => dotnetReplace(text, regex, replacement));
  }

  matches(text: string, pattern: TemplatePattern): boolean {
    return this.#evaluate(pattern, ({ regex }) => text.search(regex) !== -1);
  }

  #evaluate<T>(pattern: TemplatePattern, evaluation: (regex: DotnetRegex) => T): T {
    try {
      return this.#timeLimit.run(() => evaluation(compiled(pattern)));
    } catch (error) {
      if (error instanceof PatternTimeLimitExceeded) throw slow(pattern, error);
      // V8 compiles on the first match, and finds only then that an expression is too large
      if (error instanceof SyntaxError) throw unreadable(pattern);
      throw error;
    }
  }
}

function compiled(pattern: TemplatePattern): DotnetRegex {
  const regex = pattern.pattern === null ? null : dotnetRegex(pattern.pattern);
  if (regex === null) throw unreadable(pattern);
  return regex;
}

function unreadable({ pattern, owner, pointer }: TemplatePattern): TemplateError {
  return renderFailed(`${owner} has the invalid or unsupported regular expression "${shown(pattern)}".`, { pointer });
}

function slow({ pattern, owner, pointer }: TemplatePattern, { message }: PatternTimeLimitExceeded): TemplateError {
  const reason = `The regular expression "${shown(pattern)}" at ${pointer} was ended: ${message}.`;
  return slowRegex(`${owner} cannot be evaluated. ${reason}`, { pointer });
}

function shown(pattern: string | null): string {
  if (pattern === null) return "";
  return pattern.length > maxShownLength ? `${pattern.slice(0, maxShownLength)}…` : pattern;
}
