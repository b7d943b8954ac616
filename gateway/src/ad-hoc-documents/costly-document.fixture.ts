/** The selection on an object whose plan doubles with each condition. */
interface CostlySelection {
  /** The object's type, and a field on it. */
  readonly type: string;
  readonly field: string;
  readonly conditions: number;
  /** Encloses the object's selection in the selections above it. */
  readonly enclose: (selection: string) => string;
}

/** A document that takes many seconds to plan on any machine. */
export function costlyDocument({ type, field, conditions, enclose }: CostlySelection): string {
  const variables = Array.from({ length: conditions }, (_, at) => `$v${at}: Boolean!`);
  const fragments = Array.from({ length: conditions }, (_, at) => {
    const next = `...F${at + 1}`;
    return `fragment F${at} on ${type} { ${next} @skip(if: $v${at}) ${next} @include(if: $v${at}) }`;
  });
  const last = `fragment F${conditions} on ${type} { ${field} }`;
  return `query (${variables.join(" ")}) { ${enclose("{ ...F0 }")} } ${fragments.join(" ")} ${last}`;
}
