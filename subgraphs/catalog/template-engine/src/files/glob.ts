/**
 * A pattern in the template format's glob dialect: `*` matches inside one name, `**` crosses folders, a double star
 * with a slash matches any number of folders, `[..]` is a set without ranges, a leading `!` negates, and `\[` and `\ `
 * are escapes. The dialect has neither `?` nor braces, and it is case-sensitive.
 */
export interface Glob {
  matches(path: string): boolean;
}

type Step = { kind: "set"; characters: string } | { kind: "name" } | { kind: "anything" } | { kind: "folders" };

const stars = ["name", "anything", "folders"] as const;

const cache = new Map<string, Glob>();
const maxCached = 2_000;

/** Parses a pattern. With `byName`, a pattern without a folder is compared with the file's name only. */
export function parseGlob(pattern: string, byName = true): Glob {
  const key = byName ? pattern : `/${pattern}`;
  const memoized = cache.get(key);
  if (memoized !== undefined) return memoized;
  const isNegated = pattern.startsWith("!");
  const steps = readSteps(pattern, isNegated ? 1 : 0);
  const nameOnly = byName && !steps.some(mentionsFolder);
  const tail = literalTail(steps);
  const glob: Glob = {
    matches: (path) => {
      const text = nameOnly ? path.slice(path.lastIndexOf("/") + 1) : path;
      return isNegated !== (text.endsWith(tail) && matchSteps(steps, text));
    },
  };
  if (cache.size >= maxCached) cache.clear();
  cache.set(key, glob);
  return glob;
}

/** The characters that end every match: a fast test that excludes most files. */
function literalTail(steps: readonly Step[]): string {
  let tail = "";
  for (let at = steps.length - 1; at >= 0; at--) {
    const step = steps[at];
    if (step?.kind !== "set" || step.characters.length !== 1) break;
    tail = step.characters + tail;
  }
  return tail;
}

function mentionsFolder(step: Step): boolean {
  return step.kind === "set" ? step.characters.startsWith("/") : step.kind !== "name";
}

function readSteps(pattern: string, start: number): Step[] {
  const steps: Step[] = [];
  let i = start;
  while (i < pattern.length) {
    const character = pattern.charAt(i);
    if (character === "*") {
      const length = starLength(pattern, i);
      steps.push({ kind: stars[length - 1] ?? "name" });
      i += length;
    } else if (character === "[") {
      const { characters, end } = readSet(pattern, i + 1);
      // the opening bracket belongs to the set, as in dotnet new
      steps.push({ kind: "set", characters: `[${characters}` });
      i = end;
    } else if (character === "\\" && (pattern[i + 1] === "[" || pattern[i + 1] === " ")) {
      steps.push({ kind: "set", characters: pattern.charAt(i + 1) });
      i += 2;
    } else {
      steps.push({ kind: "set", characters: character });
      i++;
    }
  }
  return steps;
}

function starLength(pattern: string, at: number): 1 | 2 | 3 {
  if (pattern[at + 1] !== "*") return 1;
  return pattern[at + 2] === "/" ? 3 : 2;
}

function readSet(pattern: string, start: number): { characters: string; end: number } {
  let characters = "";
  let i = start;
  for (; i < pattern.length && pattern[i] !== "]"; i++) {
    const isEscape =
      pattern[i] === "\\" && (pattern[i + 1] === "]" || pattern[i + 1] === "[" || pattern[i + 1] === " ");
    if (isEscape) i++;
    characters += pattern.charAt(i);
  }
  return { characters, end: i + 1 };
}

// reused buffers, which no match needs after its end
let current = new Uint8Array(64);
let next = new Uint8Array(64);

/** Tracks the reachable steps for each character, in time proportional to pattern length × text length. */
function matchSteps(steps: readonly Step[], text: string): boolean {
  const size = steps.length + 1;
  if (current.length < size) {
    current = new Uint8Array(size * 2);
    next = new Uint8Array(size * 2);
  }
  current.fill(0, 0, size);
  enter(steps, current, 0);
  for (let i = 0; i < text.length; i++) {
    next.fill(0, 0, size);
    const character = text.charAt(i);
    let alive = false;
    for (let at = 0; at < steps.length; at++) {
      if (current[at] === 0) continue;
      alive = true;
      consume(steps, next, at, character);
    }
    if (!alive) return false;
    [current, next] = [next, current];
  }
  return current[steps.length] === 1;
}

function consume(steps: readonly Step[], into: Uint8Array, at: number, character: string): void {
  const step = steps[at];
  if (step?.kind === "set") {
    if (step.characters.includes(character)) enter(steps, into, at + 1);
  } else if (step?.kind === "name") {
    if (character === "/") return;
    into[at] = 1;
    enter(steps, into, at + 1);
  } else {
    into[at] = 1;
    if (step?.kind === "anything" || character === "/") enter(steps, into, at + 1);
  }
}

/** A star may match nothing, but a star at the end of the pattern matches at least one character. */
function enter(steps: readonly Step[], into: Uint8Array, first: number): void {
  for (let at = first; ; at++) {
    into[at] = 1;
    const step = steps[at];
    if (step === undefined || step.kind === "set" || at === steps.length - 1) return;
  }
}
