import { uuidV7 } from "./uuid-v7.js";

const timeOf = (uuid: string) => Number.parseInt(uuid.replaceAll("-", "").slice(0, 12), 16);
const now = Date.now();

describe("a UUID of version 7", () => {
  it("begins with the time in milliseconds", () => {
    expect(timeOf(uuidV7(now))).toBe(now);
    expect(uuidV7(now + 1)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it("is greater than the one before it, also while the clock is a little behind", () => {
    const first = uuidV7(now + 10);
    const later = [now + 10, now, now - 9_000].map((at) => uuidV7(at));
    expect([...later].sort()).toEqual(later);
    expect(later.every((uuid) => uuid > first)).toBe(true);
  });

  it("follows a clock that is set back by more", () => {
    uuidV7(now + 3_600_000);
    expect(timeOf(uuidV7(now))).toBe(now);
  });
});
