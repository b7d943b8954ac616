import type { FieldError } from "../errors/domain-error.js";
import { pointerToken } from "../errors/json-pointer.js";
import { isKeptNumber } from "./kept-numbers.js";
import { numberOrder } from "./number-order.js";

/**
 * The numbers in a document that the platform calculates with and stores as its own, but that JavaScript would change
 * to another number: they have too many digits or are too large. `1.0` and `1E5` are good.
 */
export function inexactNumbers(value: unknown, pointer = ""): FieldError[] {
  if (typeof value !== "object" || value === null) return [];
  if (!isKeptNumber(value))
    return Object.entries(value).flatMap(([name, member]) =>
      inexactNumbers(member, `${pointer}/${pointerToken(name)}`),
    );
  const number = Number(value.rawJSON);
  if (Number.isFinite(number) && numberOrder(value, number) === 0) return [];
  return [{ pointer, code: "OUT_OF_RANGE", detail: "The number has too many digits, or it is too large." }];
}
