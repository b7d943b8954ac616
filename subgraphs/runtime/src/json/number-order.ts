import { isKeptNumber, type KeptNumber } from "./kept-numbers.js";

export type ForeignNumber = number | KeptNumber;

export const isForeignNumber = (value: unknown): value is ForeignNumber =>
  typeof value === "number" || isKeptNumber(value);

/**
 * Negative, zero or positive as the first number is less than, equal to or greater than the second one. Kept numbers
 * are compared by all their digits, so that 9007199254740993 is not 9007199254740992.
 */
export function numberOrder(first: ForeignNumber, other: ForeignNumber): number {
  if (typeof first === "number" && typeof other === "number") return first - other;
  const [a, b] = [decimalOf(first), decimalOf(other)];
  if (a.sign !== b.sign) return a.sign - b.sign;
  const order = a.magnitude === b.magnitude ? textOrder(a.digits, b.digits) : a.magnitude - b.magnitude;
  // 0 - 0 is 0, while -1 * 0 is -0
  return a.sign < 0 ? 0 - order : order;
}

/** The number `sign` × 0.`digits` × 10^`magnitude`. */
interface Decimal {
  readonly sign: -1 | 0 | 1;
  readonly digits: string;
  readonly magnitude: number;
}

const zero: Decimal = { sign: 0, digits: "", magnitude: 0 };

function decimalOf(number: ForeignNumber): Decimal {
  const text = typeof number === "number" ? String(number) : number.rawJSON;
  const [, minus, whole = "", fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e(.+))?$/i.exec(text) ?? [];
  const all = whole + fraction;
  const first = all.search(/[1-9]/);
  if (first === -1) return zero;
  let end = all.length;
  while (all[end - 1] === "0") end--;
  return {
    sign: minus === "-" ? -1 : 1,
    digits: all.slice(first, end),
    magnitude: whole.length - first + Number(exponent),
  };
}

const textOrder = (first: string, other: string) => (first === other ? 0 : first < other ? -1 : 1);
