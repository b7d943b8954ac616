/** With these numbers an exponential match takes years, a cubic one is noticed, and a quadratic one is not. */
const fewRepetitions = 32;
const manyRepetitions = 1500;
const maxPumpedLength = 4000;
const maxTexts = 60;
const maxDepth = 40;
/** Almost no expression matches this character, so that the whole text does not match. */
const mismatchingEnd = "\u0001!";

/** The orders in which an atom picks a character that it matches. In one, adjacent classes pick the same character. */
const preferences = ["aA1_ .-/:@!", "1aA_ .-/:@!", "_ -.aA1/:@!"];

type Tree =
  | { kind: "atom"; source: string }
  | { kind: "sequence"; parts: Tree[] }
  | { kind: "choice"; branches: Tree[] }
  | { kind: "aside"; body: Tree }
  | { kind: "repeat"; body: Tree; minimum: number; open: boolean };

/** Texts on which a JavaScript expression with nested or adjacent repetitions backtracks the most. */
export function pumpedTexts(source: string): string[] {
  const tree = new Reader(source).read();
  const texts = new Set<string>();
  for (const preference of preferences) {
    const pick = picker(preference);
    for (const { before, body } of pumps(tree, "", pick)) {
      if (body === "") continue;
      texts.add(before + body.repeat(fewRepetitions) + mismatchingEnd);
      texts.add(
        before + body.repeat(Math.min(manyRepetitions, Math.floor(maxPumpedLength / body.length))) + mismatchingEnd,
      );
    }
  }
  return [...texts].slice(0, maxTexts);
}

type Pick = (atom: string) => string;

function picker(preference: string): Pick {
  const picks = new Map<string, string>();
  return (atom) => {
    let character = picks.get(atom);
    if (character === undefined) {
      character = pickedFor(atom, preference);
      picks.set(atom, character);
    }
    return character;
  };
}

function pickedFor(atom: string, preference: string): string {
  if (atom.length === 1 && !"^$.".includes(atom)) return atom;
  try {
    const whole = new RegExp(`^(?:${atom})$`, "u");
    // an assertion's content does not belong to the text
    return whole.test("") ? "" : (Array.from(preference).find((character) => whole.test(character)) ?? literal(atom));
  } catch {
    return "";
  }
}

function literal(atom: string): string {
  return /^\\[^\w\s]$/.test(atom) ? atom.slice(1) : "a";
}

function sample(tree: Tree, pick: Pick): string {
  switch (tree.kind) {
    case "atom":
      return pick(tree.source);
    case "sequence":
      return tree.parts.map((part) => sample(part, pick)).join("");
    case "choice":
      return tree.branches[0] ? sample(tree.branches[0], pick) : "";
    case "aside":
      return "";
    case "repeat":
      return sample(tree.body, pick).repeat(Math.min(Math.max(tree.minimum, 1), 20));
  }
}

/** Each unbounded repetition, with a text that leads up to it and a text that it repeats. */
function pumps(tree: Tree, before: string, pick: Pick): { before: string; body: string }[] {
  switch (tree.kind) {
    case "atom":
      return [];
    case "aside":
      return pumps(tree.body, before, pick);
    case "choice":
      return tree.branches.flatMap((branch) => pumps(branch, before, pick));
    case "sequence": {
      let lead = before;
      return tree.parts.flatMap((part) => {
        const texts = pumps(part, lead, pick);
        lead += sample(part, pick);
        return texts;
      });
    }
    case "repeat": {
      const bodies = tree.body.kind === "choice" ? tree.body.branches : [tree.body];
      const pumpsHere = tree.open ? bodies.map((body) => ({ before, body: sample(body, pick) })) : [];
      return [...pumpsHere, ...pumps(tree.body, before, pick)];
    }
  }
}

/** Reads only the syntax that shows which text is repeated. The expression must be valid. */
class Reader {
  #at = 0;
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  read(depth = 0): Tree {
    const branches: Tree[] = [];
    let parts: Tree[] = [];
    while (this.#at < this.#source.length && this.#source[this.#at] !== ")") {
      if (this.#source[this.#at] === "|") {
        this.#at++;
        branches.push({ kind: "sequence", parts });
        parts = [];
      } else parts.push(this.#repeated(this.#part(depth)));
    }
    branches.push({ kind: "sequence", parts });
    const [only] = branches;
    return branches.length === 1 && only ? only : { kind: "choice", branches };
  }

  #part(depth: number): Tree {
    const start = this.#at;
    const character = this.#source[start];
    if (character === "(" && depth < maxDepth) return this.#group(depth);
    if (character === "[") this.#at = this.#classEnd();
    else if (character === "\\") this.#at += escapeLength(this.#source.slice(start));
    else this.#at++;
    return { kind: "atom", source: this.#source.slice(start, this.#at) };
  }

  #group(depth: number): Tree {
    const opening = /^\((?:\?(?::|<?[=!]|<[^>]*>|[a-z-]*:))?/.exec(this.#source.slice(this.#at))?.[0] ?? "(";
    this.#at += opening.length;
    const inner = this.read(depth + 1);
    this.#at++;
    // an assertion consumes no text
    return /[=!]$/.test(opening) ? { kind: "aside", body: inner } : inner;
  }

  #classEnd(): number {
    let at = this.#at + 1;
    while (at < this.#source.length && this.#source[at] !== "]") at += this.#source[at] === "\\" ? 2 : 1;
    return at + 1;
  }

  #repeated(body: Tree): Tree {
    const quantifier = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(this.#source.slice(this.#at, this.#at + 32));
    if (!quantifier) return body;
    this.#at += quantifier[0].length;
    const [sign, least, comma, most] = quantifier;
    const minimum = least === undefined ? Number(sign.startsWith("+")) : Number(least);
    const open = /^[*+]/.test(sign) || (comma === "," && (most === "" || Number(most) > 10));
    return { kind: "repeat", body, minimum, open };
  }
}

function escapeLength(text: string): number {
  return (
    /^\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|k<[^>]*>|c[A-Za-z]|[^])/.exec(text)?.[0].length ?? 2
  );
}
