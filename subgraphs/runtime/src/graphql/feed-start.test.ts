import { startCursor, startSequence } from "./feed-start.js";

const from = (lastEventId: string | undefined) => ({ lastEventId });

describe("the start of a feed", () => {
  it("is the argument, unless the header Last-Event-ID names an event", () => {
    expect(startCursor(from(undefined), "7")).toBe("7");
    expect(startCursor(from("9"), "7")).toBe("9");
    expect(startCursor(from(undefined), null)).toBeUndefined();
    expect(startSequence(from(undefined), 7)).toBe(7);
    expect(startSequence(from("9"), 7)).toBe(9);
    expect(startSequence(from("0"), undefined)).toBe(0);
  });

  it.each(["x", "-1", "1.5", "1e3", "2147483648", "99999999999"])("refuses %s as the id of a step", (text) => {
    expect(() => startSequence(from(text), undefined)).toThrow(expect.objectContaining({ code: "INVALID_CURSOR" }));
  });
});
