import fc from "fast-check";
import {
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
  isUnionType,
} from "graphql";

/** Numbers that fast-check generates and shrinks. Each choice of the writer takes the next number. */
type Choices = readonly number[];

/** Writes valid documents for a schema, with at most about `tokens` tokens. */
class DocumentWriter {
  readonly #schema: GraphQLSchema;
  readonly #choices: Choices;
  readonly #variables = new Map<string, string>();
  readonly #fragments: string[] = [];
  #at = 0;
  #tokensLeft: number;

  constructor(schema: GraphQLSchema, choices: Choices, tokens: number) {
    this.#schema = schema;
    this.#choices = choices;
    this.#tokensLeft = tokens;
  }

  write(): string {
    const mutation = this.#pick(6) === 0;
    const type = mutation ? this.#schema.getMutationType() : this.#schema.getQueryType();
    if (!type) throw new Error("The schema has no root types");
    const selection = this.#selection(type, 0);
    const variables = [...this.#variables].map(([name, definition]) => `$${name}: ${definition}`).join(", ");
    const head = `${mutation ? "mutation" : "query"} Q${variables && `(${variables})`}`;
    return [`${head} ${selection}`, ...this.#fragments].join("\n");
  }

  #pick(below: number): number {
    const choice = this.#choices[this.#at % this.#choices.length] ?? 0;
    this.#at += 1;
    return (choice + Math.floor(this.#at / this.#choices.length)) % below;
  }

  #selection(type: GraphQLCompositeType, depth: number): string {
    const parts: string[] = [];
    const width = 1 + this.#pick(depth === 0 ? 6 : 9);
    for (let count = 0; count < width && this.#tokensLeft > 0; count += 1) parts.push(this.#part(type, depth));
    return `{ ${parts.length > 0 ? parts.join(" ") : "__typename"} }`;
  }

  #part(type: GraphQLCompositeType, depth: number): string {
    this.#tokensLeft -= 8;
    const kind = this.#pick(8);
    if (kind < 2 && depth > 0) {
      const inner = this.#innerType(type);
      const text = `on ${inner.name}`;
      if (kind === 0) return `... ${text} ${this.#condition()} ${this.#selection(inner, depth)}`;
      const name = `F${this.#fragments.length}`;
      const place = this.#fragments.push("") - 1;
      this.#fragments[place] = `fragment ${name} ${text} ${this.#selection(inner, depth)}`;
      return Array.from({ length: 1 + this.#pick(3) }, () => `...${name} ${this.#condition()}`).join(" ");
    }
    if (isUnionType(type) || kind === 2) return "__typename";
    const fields = Object.values(type.getFields());
    const field = fields[this.#pick(fields.length)];
    if (!field) return "__typename";
    const written = this.#field(field, depth);
    // A field that is selected twice is valid, since both selections are merged.
    return kind === 3 ? `${written} ${written}` : written;
  }

  #innerType(type: GraphQLCompositeType): GraphQLCompositeType {
    if (!isAbstractType(type)) return type;
    const possible = this.#schema.getPossibleTypes(type);
    return possible[this.#pick(possible.length)] ?? type;
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const required = field.args.filter(({ type }) => isNonNullType(type));
    const optional = field.args.filter(({ type }) => !isNonNullType(type) && this.#pick(3) === 0);
    const given = [...required, ...optional].map((argument) => this.#argument(argument)).join(", ");
    const named = getNamedType(field.type);
    // Fields merge only if their arguments are equal, so a field with arguments gets its own alias.
    const alias = given === "" ? "" : `a${this.#at}: `;
    this.#tokensLeft -= given.length / 4;
    const head = `${alias}${field.name}${given && `(${given})`} ${this.#condition()}`;
    if (isScalarType(named) || isEnumType(named)) return head;
    return depth < 10 ? `${head} ${this.#selection(named as GraphQLCompositeType, depth + 1)}` : "__typename";
  }

  #condition(): string {
    if (this.#pick(4) > 0) return "";
    const name = `c${this.#pick(5)}`;
    this.#variables.set(name, "Boolean = true");
    this.#tokensLeft -= 7;
    return `@${this.#pick(2) === 0 ? "skip" : "include"}(if: $${name})`;
  }

  #argument({ name, type }: GraphQLArgument): string {
    if (this.#pick(5) > 0) return `${name}: ${this.#value(type, 0)}`;
    const variable = `v${this.#variables.size}`;
    const byDefault = isNonNullType(type) ? this.#value(type, 0) : "null";
    this.#variables.set(variable, `${String(type)} = ${byDefault}`);
    return `${name}: $${variable}`;
  }

  #value(type: GraphQLInputType, depth: number): string {
    this.#tokensLeft -= 1;
    if (isNonNullType(type)) return this.#value(type.ofType as GraphQLInputType, depth);
    if (isListType(type)) {
      const length = depth > 6 ? 0 : this.#pick(4);
      return `[${Array.from({ length }, () => this.#value(type.ofType, depth + 1)).join(" ")}]`;
    }
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(
        ({ type: inner, defaultValue }) =>
          (isNonNullType(inner) && defaultValue === undefined) || (depth < 4 && this.#pick(3) === 0),
      );
      return `{${fields.map(({ name, type: inner }) => `${name}: ${this.#value(inner, depth + 1)}`).join(", ")}}`;
    }
    if (isEnumType(type)) return type.getValues()[0]?.name ?? "null";
    if (type.name === "JSONObject") return `{j: ${this.#json(0)}}`;
    if (type.name === "Int" || type.name === "Float") return String(this.#pick(50));
    if (type.name === "Boolean") return "true";
    return type.name === "DateTime" ? '"2026-11-22T00:00:00Z"' : `"${this.#pick(9)}"`;
  }

  #json(depth: number): string {
    const kind = this.#pick(5);
    this.#tokensLeft -= 2;
    if (depth > 26 || this.#tokensLeft < 0 || kind === 4) return "1";
    if (kind < 3) return `[${this.#json(depth + 1)}${kind === 0 ? ` ${this.#json(depth + 3)}` : ""}]`;
    return `{k: ${this.#json(depth + 1)}}`;
  }
}

/** Documents that are valid for the schema. */
export function generatedDocuments(schema: GraphQLSchema): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(fc.nat({ max: 5039 }), { minLength: 8, maxLength: 80 }), fc.constantFrom(60, 300, 1000, 1900))
    .map(([choices, tokens]) => new DocumentWriter(schema, choices, tokens).write());
}
