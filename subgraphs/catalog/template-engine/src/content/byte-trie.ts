export interface Token {
  /** The bytes that are replaced. */
  readonly core: Buffer;
  /** Bytes that must stand before and after the core; they are not replaced. */
  readonly before: Buffer | null;
  readonly after: Buffer | null;
}

/** Makes a token that replaces a text in any context. */
export function token(text: string): Token {
  return { core: Buffer.from(text, "utf8"), before: null, after: null };
}

interface Terminal<T> {
  readonly token: Token;
  readonly value: T;
}

class TrieNode<T> {
  readonly next = new Map<number, TrieNode<T>>();
  terminals: Terminal<T>[] | null = null;
}

/** Finds the longest token at a position. When two tokens are equal, the one that was added last wins. */
export class ByteTrie<T> {
  /** 1 at the index 256 × first byte + second byte for each pair of bytes that a token can start with. */
  readonly pairs = new Uint8Array(65_536);
  /** The last match's length in bytes. */
  length = 0;
  readonly #roots: (TrieNode<T> | undefined)[] = new Array(256);

  add(token: Token, value: T): void {
    const first = token.core[0];
    if (first === undefined) return;
    const second = token.core[1];
    if (second === undefined) this.pairs.fill(1, first << 8, (first + 1) << 8);
    else this.pairs[(first << 8) | second] = 1;
    let node = this.#roots[first];
    if (node === undefined) {
      node = new TrieNode<T>();
      this.#roots[first] = node;
    }
    for (let i = 1; i < token.core.length; i++) node = descend(node, token.core[i] ?? 0);
    node.terminals = arranged(node.terminals ?? [], { token, value });
  }

  /** The first position at or after `at` where a token may start, or the text's length. */
  candidate(source: Uint8Array, from: number): number {
    const { pairs } = this;
    const last = source.length - 1;
    if (from > last) return source.length;
    let byte = source[from] ?? 0;
    for (let at = from; at < last; at++) {
      const following = source[at + 1] ?? 0;
      if (pairs[(byte << 8) | following] === 1) return at;
      byte = following;
    }
    // only a one-byte token can start at the last byte
    return this.#roots[byte] === undefined ? source.length : last;
  }

  /** The value for the longest token at `at`, its context included; `length` is then the token's length. */
  match(source: Uint8Array, at: number): T | undefined {
    let node: TrieNode<T> | undefined = this.#roots[source[at] ?? 0];
    let match: Terminal<T> | undefined;
    let reach = 0;
    let position = at + 1;
    while (node !== undefined) {
      if (node.terminals !== null) {
        const fitting = fits(node.terminals, source, at, position);
        const end = position - at + (fitting?.token.before?.length ?? 0);
        if (fitting !== undefined && end > reach) {
          match = fitting;
          reach = end;
          this.length = position - at;
        }
      }
      if (position >= source.length) break;
      node = node.next.get(source[position] ?? 0);
      position++;
    }
    return match?.value;
  }
}

function descend<T>(node: TrieNode<T>, byte: number): TrieNode<T> {
  let next = node.next.get(byte);
  if (next === undefined) {
    next = new TrieNode<T>();
    node.next.set(byte, next);
  }
  return next;
}

/** Orders tokens by longer context before and shorter context after; an equal token is replaced. */
function arranged<T>(terminals: Terminal<T>[], terminal: Terminal<T>): Terminal<T>[] {
  const others = terminals.filter((other) => !sameToken(other.token, terminal.token));
  return [...others, terminal].sort(
    (x, y) =>
      (y.token.before?.length ?? 0) - (x.token.before?.length ?? 0) ||
      (x.token.after?.length ?? 0) - (y.token.after?.length ?? 0),
  );
}

function sameToken(x: Token, y: Token): boolean {
  return sameContext(x.before, y.before) && sameContext(x.after, y.after);
}

function sameContext(x: Buffer | null, y: Buffer | null): boolean {
  return (x ?? noBytes).equals(y ?? noBytes);
}

const noBytes = Buffer.alloc(0);

function fits<T>(terminals: Terminal<T>[], source: Uint8Array, start: number, end: number): Terminal<T> | undefined {
  for (const terminal of terminals) {
    const { before, after } = terminal.token;
    if (before !== null && !standsAt(source, start - before.length, before)) continue;
    if (after !== null && !standsAt(source, end, after)) continue;
    return terminal;
  }
  return undefined;
}

function standsAt(source: Uint8Array, at: number, bytes: Buffer): boolean {
  if (at < 0 || at + bytes.length > source.length) return false;
  for (let i = 0; i < bytes.length; i++) {
    if (source[at + i] !== bytes[i]) return false;
  }
  return true;
}
