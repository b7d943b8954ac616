import { firstLook, nextLook } from "./outcome-looks.js";

const acceptedAt = new Date("2026-01-01T00:00:00Z");
const after = (seconds: number) => new Date(acceptedAt.getTime() + seconds * 1000);

describe("the looks at an outcome that its vendor has not reported", () => {
  it("come after 30 s, 5 min, 1 h and 24 h, and then end", () => {
    let elapsedSeconds = 0;
    const looks = [firstLook(true)];
    for (;;) {
      elapsedSeconds += looks.at(-1) ?? 0;
      const next = nextLook(acceptedAt, after(elapsedSeconds), true);
      if (next === undefined) break;
      looks.push(next);
    }
    expect(looks.map((_, place) => looks.slice(0, place + 1).reduce((sum, seconds) => sum + seconds, 0))).toEqual([
      ...[30, 300, 3600, 86_400],
    ]);
  });

  it("are not made up for after a standstill: the next one keeps its time", () => {
    expect(nextLook(acceptedAt, after(20 * 3600), true)).toBe(4 * 3600);
    expect(nextLook(acceptedAt, after(25 * 3600), true)).toBeUndefined();
  });

  it("do not come twice where the clock of the process is behind", () => {
    expect(nextLook(acceptedAt, after(29), true)).toBe(271);
    expect(nextLook(acceptedAt, after(-3600), true)).toBe(3630);
  });

  it("are one look at the end for a vendor that cannot be asked, and for a command of an earlier release", () => {
    expect(firstLook(false)).toBe(86_400);
    expect(nextLook(acceptedAt, after(60), false)).toBe(86_340);
    expect(nextLook(null, after(60), true)).toBeUndefined();
  });
});
