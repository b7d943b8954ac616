import { templateInvalid } from "../findings/template-error.js";

/** The names that an expression mentions outside quotes. */
export function mentionedNames(expression: string, names: readonly string[]): string[] {
  const bare = expression.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, " ");
  const words = new Set(bare.match(/[\p{L}\p{Nd}_]+/gu) ?? []);
  return names.filter((name) => (/^[\p{L}\p{Nd}_]+$/u.test(name) ? words.has(name) : bare.includes(name)));
}

/** Sorts items after those that they depend on, else in the given order. Throws a TemplateError on a cycle. */
export function sortByDependency<T extends { readonly name: string }>(
  items: readonly T[],
  dependencies: (item: T) => readonly string[],
): T[] {
  const byName = new Map(items.map((item) => [item.name, item]));
  const result: T[] = [];
  const state = new Map<string, "open" | "done">();
  for (const first of items) {
    // an explicit stack, since a long symbol chain could exceed the call stack
    const stack: { item: T; left: string[] }[] = [];
    const enter = (item: T) => {
      if (state.get(item.name) === "done") return;
      if (state.get(item.name) === "open") {
        const path = [...stack.map((level) => level.item.name), item.name];
        throw templateInvalid("SymbolCycle", `Symbols form a dependency cycle: ${path.join(" → ")}.`, {
          pointer: `/symbols/${item.name}`,
        });
      }
      state.set(item.name, "open");
      stack.push({ item, left: dependencies(item).filter((name) => name !== item.name) });
    };
    enter(first);
    for (let level = stack.at(-1); level !== undefined; level = stack.at(-1)) {
      const next = level.left.shift();
      if (next !== undefined) {
        const item = byName.get(next);
        if (item !== undefined) enter(item);
        continue;
      }
      state.set(level.item.name, "done");
      result.push(level.item);
      stack.pop();
    }
  }
  return result;
}
