import fc from "fast-check";
import { foreignNumber } from "./kept-numbers.js";
import { numberOrder } from "./number-order.js";

const order = (one: string, other: string) => Math.sign(numberOrder(foreignNumber(one), foreignNumber(other)));

describe("numberOrder", () => {
  it.each([
    ["820982911946154508", "820982911946154509", -1],
    ["9007199254740993", "9007199254740992", 1],
    ["1.0", "1", 0],
    ["1E5", "100000", 0],
    ["-0", "0", 0],
    ["1e400", "1e401", -1],
    ["-1e400", "1", -1],
    ["-1e400", "-1e401", 1],
    ["1e-400", "0", 1],
    ["0.1000000000000000055511151231257827", "0.1", 1],
    ["00".slice(1), "-1.0", 1],
    ["1.50", "1.5", 0],
  ])("has %s and %s in the order %i", (one, other, expected) => {
    expect(order(one, other)).toBe(expected);
    expect(order(other, one)).toBe(expected === 0 ? 0 : -expected);
  });

  it("is the order of whole numbers of any length", () => {
    const whole = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
    fc.assert(
      fc.property(whole, whole, fc.boolean(), (one, other, withFraction) => {
        const tail = withFraction ? ".000" : "";
        expect(order(`${one}${tail}`, `${other}`)).toBe(one < other ? -1 : one > other ? 1 : 0);
      }),
    );
  });
});
