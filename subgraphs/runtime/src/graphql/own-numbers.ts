import { type GraphQLInputType, getNullableType, isInputObjectType, isListType } from "graphql";
import { isKeptNumber } from "../json/kept-numbers.js";

type Convert = (value: unknown) => unknown;
type Members = Readonly<Record<string, unknown>>;

const compiled = new WeakMap<GraphQLInputType, Convert>();

/**
 * Compiles a function that gives the members of an input type numbers of JavaScript. Only values of the scalars JSON and
 * JSONObject are foreign and keep the text of their numbers; the function does not look into them. A value without
 * another kept number is returned itself.
 */
export function ownNumbers(type: GraphQLInputType): Convert {
  const named = getNullableType(type);
  if (isListType(named)) return convertList(ownNumbers(named.ofType));
  if (!isInputObjectType(named)) return named.name === "JSON" ? asItIs : plainNumber;
  const known = compiled.get(named);
  if (known) return known;
  const members = new Map<string, Convert>();
  // It is known before its fields are compiled, since an input type may contain itself.
  const convert = convertMembers(members);
  compiled.set(named, convert);
  for (const { name, type: ofField } of Object.values(named.getFields())) {
    const ofMember = ownNumbers(ofField);
    if (ofMember !== asItIs) members.set(name, ofMember);
  }
  return convert;
}

const asItIs: Convert = (value) => value;

const plainNumber: Convert = (value) => (isKeptNumber(value) ? Number(value.rawJSON) : value);

const convertList =
  (convert: Convert): Convert =>
  (value) => {
    if (!Array.isArray(value)) return convert(value);
    const items = value.map(convert);
    return items.some((item, at) => item !== value[at]) ? items : value;
  };

const convertMembers =
  (members: ReadonlyMap<string, Convert>): Convert =>
  (value) => {
    if (typeof value !== "object" || value === null || isKeptNumber(value)) return plainNumber(value);
    let own: Record<string, unknown> | undefined;
    for (const [name, convert] of members) {
      if (!Object.hasOwn(value, name)) continue;
      const member = (value as Members)[name];
      const converted = convert(member);
      if (converted === member) continue;
      own ??= { ...value };
      own[name] = converted;
    }
    return own ?? value;
  };
