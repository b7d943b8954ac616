import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import { EvaluationContext } from "./evaluation-context.js";

it("a number of a context is compared by its text, and as a number by its value", () => {
  const context = EvaluationContext.read(
    parseForeignJson('{"account":820982911946154508,"price":1.50,"at":1795852933741.0}'),
  );
  if (typeof context === "string") throw new Error(context);
  expect([context.text("account"), context.number("price"), context.date("at")]).toEqual([
    "820982911946154508",
    1.5,
    1795852933741,
  ]);
  expect(EvaluationContext.read(parseForeignJson("1.0"))).toMatch(/object/);
  expect(EvaluationContext.read(parseForeignJson('{"targetingKey":1.0}'))).toMatch(/string/);
});

it("a number that JavaScript holds is compared as it writes it, in whatever way it was sent", () => {
  const context = EvaluationContext.read(parseForeignJson('{"a":5.0,"b":1E5,"c":-0,"d":1e400,"e":0.10}'));
  if (typeof context === "string") throw new Error(context);
  expect(["a", "b", "c", "d", "e"].map((name) => context.text(name))).toEqual(["5", "100000", "0", "1e400", "0.1"]);
});

it("a number is no longer than a text may be, since rules compare it as a text", () => {
  const context = (digits: number) => EvaluationContext.read(parseForeignJson(`{"account":${"1".repeat(digits)}}`));
  expect(context(2048)).toBeInstanceOf(EvaluationContext);
  expect(context(2049)).toMatch(/member account .* 2048 characters/);
});
