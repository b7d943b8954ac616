import type { TemplateSymbol } from "../configuration/template-config.js";
import { mentionedNames } from "./dependency-order.js";
import { generatorSources } from "./generators.js";

/** The symbols, among the given names, that must have a value before a symbol gets its own. */
export function dependenciesOf(symbol: TemplateSymbol, names: readonly string[]): string[] {
  switch (symbol.type) {
    case "computed":
      return mentionedNames(symbol.value, names);
    case "derived":
      return symbol.valueSource === null ? [] : [symbol.valueSource];
    case "generated": {
      const sources = generatorSources(symbol);
      return [...sources.names, ...sources.expressions.flatMap((expression) => mentionedNames(expression, names))];
    }
    case "parameter":
    case "bind":
      return [];
  }
}
