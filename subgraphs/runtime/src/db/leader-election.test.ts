import { aDatabase, quiet, type TestDatabase } from "../unit-of-work/database.fixture.js";
import { Turns } from "./leader-election.js";

describe("leader election", () => {
  let test: TestDatabase;
  const opened: Turns[] = [];

  beforeAll(async () => {
    test = await aDatabase();
  });
  afterAll(() => test.close());
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((turns) => turns.close()));
  });

  const aProcess = () => {
    const turns = new Turns(test.definition.connections.worker, quiet);
    opened.push(turns);
    return turns;
  };

  it("uses one lock for requests at the same time, so that one release frees it", async () => {
    const [first, second] = [aProcess().of("relay", "catalog"), aProcess().of("relay", "catalog")];
    expect(await Promise.all([first.take(), first.take(), first.take()])).toEqual([true, true, true]);
    await first.give();
    expect(await second.take()).toBe(true);
    expect(await first.take()).toBe(false);
  });

  it("gives the lock to only one part of a process", async () => {
    const turns = aProcess();
    expect(await turns.of("consumer", "one").take()).toBe(true);
    expect(await turns.of("consumer", "one").take()).toBe(false);
    expect(await turns.of("consumer", "two").take()).toBe(true);
  });

  it("frees the locks when the process closes them", async () => {
    const turns = aProcess();
    const turn = turns.of("relay", "closed");
    expect(await turn.take()).toBe(true);
    await turns.close();
    expect(turn.held).toBe(false);
    expect(await aProcess().of("relay", "closed").take()).toBe(true);
  });
});
