import SuiteOrder from "./suite-order.js";

describe("the order of suites", () => {
  it("begins with those that kill processes where no earlier run has told how long they take", () => {
    const sizes: Record<string, number> = {
      "/a/users.test.ts": 900,
      "/a/order-kills.test.ts": 10,
      "/a/b.test.ts": 500,
    };
    const paths = [...Object.keys(sizes), "/test/faults/stop.test.ts"];
    const hasteFS = { getSize: (path: string) => sizes[path] ?? 20 };
    const context = { config: { id: `order-${process.pid}`, cacheDirectory: "/nowhere" }, hasteFS };
    const sortedSuites = new SuiteOrder({}).sort(paths.map((path) => ({ path, context })));
    expect(sortedSuites.map(({ path }) => path)).toEqual([
      ...["/test/faults/stop.test.ts", "/a/order-kills.test.ts"],
      ...["/a/users.test.ts", "/a/b.test.ts"],
    ]);
  });
});
