import { jest } from "@jest/globals";
import { ElasticLimit } from "./elastic-limit.js";

const aLimit = (max: number, growAfterMs: number) => {
  const limit = new ElasticLimit(max, growAfterMs);
  const admissions: number[] = [];
  let requestCount = 0;
  const enter = () => {
    requestCount += 1;
    const number = requestCount;
    limit.enter(() => admissions.push(number));
  };
  return { limit, admitted: admissions, enter };
};
const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe("an elastic limit", () => {
  it("admits one after the other, in their order, while nobody waits for long", () => {
    const { limit, admitted, enter } = aLimit(3, 60_000);
    for (let request = 0; request < 4; request += 1) enter();
    expect(admitted).toEqual([1]);
    limit.leave();
    expect(admitted).toEqual([1, 2]);
    limit.leave();
    limit.leave();
    expect(admitted).toEqual([1, 2, 3, 4]);
    limit.leave();
  });

  it("grows to its maximum while nobody leaves", async () => {
    const { admitted, enter } = aLimit(3, 10);
    for (let request = 0; request < 5; request += 1) enter();
    await until(() => admitted.length === 3);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(admitted).toEqual([1, 2, 3]);
  });

  it("shrinks by one after half a minute without a wait", async () => {
    const { limit, admitted, enter } = aLimit(3, 10);
    for (let request = 0; request < 3; request += 1) enter();
    await until(() => admitted.length === 3);
    for (const _ of admitted) limit.leave();
    const now = performance.now();
    jest.spyOn(performance, "now").mockReturnValue(now + 31_000);
    for (let request = 0; request < 3; request += 1) enter();
    // the worker's watches need the time
    jest.restoreAllMocks();
    expect(admitted).toHaveLength(5);
  });
});
