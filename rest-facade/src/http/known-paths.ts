/** The methods that each path answers, for requests that no route accepted. */
export class KnownPaths {
  readonly #patterns = new Map<string, { form: RegExp; methods: Set<string> }>();

  add(method: string | readonly string[], url: string): void {
    const pattern = this.#patterns.get(url) ?? { form: patternOf(url), methods: new Set(["OPTIONS"]) };
    this.#patterns.set(url, pattern);
    for (const name of [method].flat()) pattern.methods.add(name);
  }

  /** An Allow header's value; undefined for an unknown path. */
  methodsOf(path: string): string | undefined {
    const methods = new Set<string>();
    for (const { form, methods: knownMethods } of this.#patterns.values()) {
      if (form.test(path)) for (const method of knownMethods) methods.add(method);
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
