import { inputValidator } from "./input-validator.js";

const check = inputValidator({ type: "string", format: "date-time" });

it.each(["2026-01-31T12:00:00Z", "0001-01-01T00:00:00.123Z", "2026-01-31t12:00:00+15:59", "2016-12-31T23:59:60Z"])(
  "accepts the time %s",
  (time) => {
    expect(check(time)).toEqual([]);
  },
);

it.each([
  "0000-01-01T00:00:00Z",
  "2026-01-31T12:00:00+16:00",
  "2026-01-31T12:00:00-23:59",
  "2026-01-31T12:00:00+2359",
  "2026-02-30T12:00:00Z",
  "2026-01-31",
])("refuses the time %s, which PostgreSQL cannot store", (time) => {
  expect(check(time)).toEqual([expect.objectContaining({ code: "FORMAT" })]);
});
