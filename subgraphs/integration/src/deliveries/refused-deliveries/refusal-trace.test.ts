import { type Refusals, RefusalTrace } from "./refusal-trace.js";

const [first, other] = ["1", "2"].map((id) => ({ tenant: `t${id}`, resource: `r${id}` })) as [Place, Place];
type Place = { tenant: string; resource: string };
const at = new Date(1_700_000_000_000);

/** A trace whose time passes only by `pass`. */
function aTrace() {
  let now = 0;
  let isDown = false;
  const writtenRefusals: (Refusals & { now: number })[] = [];
  const failures: unknown[] = [];
  const timers: { at: number; work: () => void }[] = [];
  const trace = new RefusalTrace({
    write: async (refusals) => {
      if (isDown) throw new Error("down");
      writtenRefusals.push(...refusals.map((each) => ({ ...each, now })));
    },
    onFailure: (error) => void failures.push(error),
    clock: () => now,
    later: (work, ms) => void timers.push({ at: now + ms, work }),
  });
  const pass = async (ms: number) => {
    const until = now + ms;
    for (;;) {
      const next = timers.filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      timers.splice(timers.indexOf(next), 1);
      now = Math.max(now, next.at);
      next.work();
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    }
    now = until;
  };
  return { trace, written: writtenRefusals, failures, timers, pass, setDown: (down: boolean) => void (isDown = down) };
}

it("a flood of refusals is written at most once in ten seconds, and no refusal is left out", async () => {
  const { trace, written, pass } = aTrace();
  for (let second = 0; second < 60; second += 1) {
    for (let time = 0; time < 100; time += 1) trace.note(first, "SIGNATURE_INVALID", at);
    await pass(1000);
  }
  await pass(20_000);
  const times = written.map(({ now }) => now);
  expect(times[0]).toBe(0);
  for (const [place, time] of times.slice(1).entries())
    expect(time - (times[place] ?? 0)).toBeGreaterThanOrEqual(10_000);
  expect(written.reduce((sum, { count }) => sum + count, 0)).toBe(6000);
});

it("refusals of many resources at different times leave no timers behind", async () => {
  const { trace, timers, pass } = aTrace();
  const note = (resource: string) => trace.note({ tenant: "t", resource }, "SIGNATURE_INVALID", at);
  // each resource is refused once a second at its own time, and every other second one for the first time
  for (let turn = 0; turn < 800; turn += 1) {
    for (let id = 0; id < 5; id += 1) if ((turn + 2 * id) % 8 === 0) note(`r${id}`);
    if (turn % 16 === 3) note(`fresh${turn}`);
    await pass(125);
  }
  expect(timers.length).toBeLessThan(10);
});

it("a flood at one resource delays no other one", async () => {
  const { trace, written, pass } = aTrace();
  trace.note(first, "SIGNATURE_INVALID", at);
  await pass(5000);
  trace.note(first, "SIGNATURE_INVALID", at);
  trace.note(other, "SIGNATURE_EXPIRED", at);
  await pass(0);
  expect(written.map(({ resource, lastReason }) => [resource, lastReason])).toEqual([
    ["r1", "SIGNATURE_INVALID"],
    ["r2", "SIGNATURE_EXPIRED"],
  ]);
});

it("refusals outlive a database that does not answer, with the newest reason", async () => {
  const { trace, written, failures, pass, setDown } = aTrace();
  setDown(true);
  trace.note(first, "SIGNATURE_INVALID", at);
  await pass(0);
  trace.note(first, "SIGNATURE_MISSING", at);
  await pass(15_000);
  setDown(false);
  await pass(10_000);
  expect(failures).toHaveLength(2);
  expect(written).toEqual([expect.objectContaining({ count: 2, lastReason: "SIGNATURE_MISSING" })]);
});

it("what waits is written at the end, and nothing is counted afterwards", async () => {
  const { trace, written, pass } = aTrace();
  trace.note(first, "SIGNATURE_INVALID", at);
  await pass(0);
  trace.note(first, "SIGNATURE_INVALID", at);
  await trace.close();
  trace.note(first, "SIGNATURE_INVALID", at);
  await pass(30_000);
  expect(written.map(({ count }) => count)).toEqual([1, 1]);
});

it("a number of resources without end takes no more than its part of memory", async () => {
  const { trace, written, pass } = aTrace();
  for (let id = 0; id < 12_000; id += 1) trace.note({ tenant: "t", resource: `r${id}` }, "SIGNATURE_INVALID", at);
  await pass(0);
  expect(written).toHaveLength(10_000);
});
