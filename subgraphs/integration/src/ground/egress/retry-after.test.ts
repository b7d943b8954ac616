import { parseRetryAfter } from "./retry-after.js";

describe("the header Retry-After", () => {
  it.each([
    ["120", 120_000],
    [" 7 ", 7000],
    ["Thu, 01 Jan 1970 00:01:40 GMT", 90_000],
    ["Thu, 01 Jan 1970 00:00:01 GMT", 0],
    ["-5", undefined],
    ["120.1", 121_000],
    ["120.0", 120_000],
    ["0.2", 1000],
    ["1.5.2", undefined],
    ["1e3", undefined],
    ["soon", undefined],
    ["2030-01-01", undefined],
    [undefined, undefined],
  ])("reads %j as %j ms", (value, milliseconds) => {
    expect(parseRetryAfter(value, 10_000)).toBe(milliseconds);
  });
});
