import { valueCountOf } from "./flag-settings.js";

it("counts a value that is searched in a text as 20, since the work of one evaluation is bounded by the count", () => {
  expect(valueCountOf({ rules: [{ operator: "IN", values: ["a", "b"] }] })).toBe(2);
  expect(
    valueCountOf({
      rules: [
        { operator: "STR_CONTAINS", values: ["a", "b"] },
        { operator: "SEMVER_EQ", values: ["1.0.0"] },
      ],
    }),
  ).toBe(41);
});
