import fc from "fast-check";
import { foreignNumber } from "./kept-numbers.js";
import { numberOrder } from "./number-order.js";

const order = (first: string, other: string) => Math.sign(numberOrder(foreignNumber(first), foreignNumber(other)));

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
    ["-19.000", "-19", 0],
  ])("has %s and %s in the order %i", (first, other, expectedOrder) => {
    expect(order(first, other)).toBe(expectedOrder);
    expect(order(other, first)).toBe(expectedOrder === 0 ? 0 : -expectedOrder);
  });

  it("is the order of whole numbers of any length", () => {
    const whole = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
    fc.assert(
      fc.property(whole, whole, fc.boolean(), (first, other, withFraction) => {
        const tail = withFraction ? ".000" : "";
        expect(order(`${first}${tail}`, `${other}`)).toBe(first < other ? -1 : first > other ? 1 : 0);
      }),
    );
  });
});
