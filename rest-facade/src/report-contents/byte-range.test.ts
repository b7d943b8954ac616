import { byteRange } from "./byte-range.js";

describe("the header Range", () => {
  it.each([
    ["bytes=0-0", { start: 0, end: 0 }],
    ["bytes=2-", { start: 2, end: 9 }],
    ["bytes=2-4", { start: 2, end: 4 }],
    ["bytes=2-400", { start: 2, end: 9 }],
    ["bytes=-3", { start: 7, end: 9 }],
    ["bytes=-300", { start: 0, end: 9 }],
    ["BYTES= 1-2 ", { start: 1, end: 2 }],
  ])("%s asks for a part", (header, part) => {
    expect(byteRange(header, 10)).toEqual(part);
  });

  it.each([undefined, "", "bytes=-", "bytes=a-b", "bytes=4-2", "items=0-1", "bytes=0-1,3-4", "bytes=1-2-3"])(
    "%s is ignored",
    (header) => {
      expect(byteRange(header, 10)).toBe("whole");
    },
  );

  it.each([
    ["bytes=10-", 10],
    ["bytes=99999999999999999999-", 10],
    ["bytes=-0", 10],
    ["bytes=0-", 0],
    ["bytes=-1", 0],
  ])("%s cannot be satisfied by %i bytes", (header, size) => {
    expect(byteRange(header, size)).toBe("unsatisfiable");
  });
});
