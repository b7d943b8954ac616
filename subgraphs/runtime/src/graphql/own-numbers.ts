import { type GraphQLInputType, getNullableType, isInputObjectType, isListType } from "graphql";
import { isKeptNumber } from "../json/kept-numbers.js";

type Convert = (value: unknown) => unknown;
type Members = Readonly<Record<string, unknown>>;

const compiledTypes = new WeakMap<GraphQLInputType, Convert>();

/**
 * Compiles a function that gives the members in an input type JavaScript numbers. Only values with the scalars JSON and
 * JSONObject are foreign and keep each number's text; the function does not look into them. A value without another
 * kept number is returned itself.
 */
export function ownNumbers(type: GraphQLInputType): Convert {
  const namedType = getNullableType(type);
  if (isListType(namedType)) return convertList(ownNumbers(namedType.ofType));
  if (!isInputObjectType(namedType)) return namedType.name === "JSON" ? asItIs : plainNumber;
  const compiledType = compiledTypes.get(namedType);
  if (compiledType) return compiledType;
  const members = new Map<string, Convert>();
  // It is known before its fields are compiled, since an input type may contain itself.
  const convert = convertMembers(members);
  compiledTypes.set(namedType, convert);
  for (const { name, type: ofField } of Object.values(namedType.getFields())) {
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
    let copy: Record<string, unknown> | undefined;
    for (const [name, convert] of members) {
      if (!Object.hasOwn(value, name)) continue;
      const member = (value as Members)[name];
      const convertedMember = convert(member);
      if (convertedMember === member) continue;
      copy ??= { ...value };
      copy[name] = convertedMember;
    }
    return copy ?? value;
  };
