/** The methods that each path answers, for requests that no route accepted. */
export class KnownPaths {
  readonly #patterns = new Map<string, { form: RegExp; methods: Set<string> }>();

  add(method: string | readonly string[], url: string): void {
    const known = this.#patterns.get(url) ?? { form: patternOf(url), methods: new Set(["OPTIONS"]) };
    this.#patterns.set(url, known);
    for (const name of [method].flat()) known.methods.add(name);
  }

  /** An Allow header's value; undefined for an unknown path. */
  methodsOf(path: string): string | undefined {
    const methods = new Set<string>();
    for (const { form, methods: known } of this.#patterns.values()) {
      if (form.test(path)) for (const method of known) methods.add(method);
    }
    return methods.size === 0 ? undefined : [...methods].sort().join(", ");
  }
}

function patternOf(url: string): RegExp {
  const source = url
    .replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll("*", ".*")
    .replaceAll(/:\w+/g, "[^/]+");
  return new RegExp(`^${source}$`);
}
