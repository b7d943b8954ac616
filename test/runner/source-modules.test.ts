it("lets stacks name the lines of the sources", () => {
  const { stack } = new Error("here");
  expect(stack).toContain("test/runner/source-modules.test.ts:2:");
});
