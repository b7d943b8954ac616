import { Handoff } from "./handoff.js";

describe("a handoff", () => {
  it("lets the writer go on when the reader wants the next value", async () => {
    const handoff = new Handoff<number>();
    const steps: string[] = [];
    const writing = (async () => {
      for (const value of [1, 2]) {
        await handoff.put(value);
        steps.push(`taken ${value}`);
      }
      handoff.end();
    })();
    for await (const value of handoff) {
      steps.push(`read ${value}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      steps.push(`used ${value}`);
    }
    await writing;
    expect(steps).toEqual(["read 1", "used 1", "taken 1", "read 2", "used 2", "taken 2"]);
  });

  it("releases the writer when the reader leaves, and drops what comes later", async () => {
    const handoff = new Handoff<number>();
    const writing = Promise.all([handoff.put(1), handoff.put(2)]);
    for await (const value of handoff) if (value === 1) break;
    await writing;
    await handoff.put(3);
  });
});
