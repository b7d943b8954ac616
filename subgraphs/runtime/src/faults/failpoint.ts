interface Armed {
  readonly name: string;
  passesLeft: number;
}

let armed: Armed | undefined;

/** `<failpoint>:kill:<n>`: this process dies by SIGKILL when it comes to the failpoint for the n-th time. */
const plan = /^([\w.]+):kill:([1-9]\d{0,5})$/;

/** Fault tests only: nothing arms a failpoint in production. */
export function armFailpoint(text: string): void {
  const [, name, passes] = plan.exec(text) ?? [];
  if (name === undefined) throw new Error(`FAIL must look like execution.pushing:kill:1, not ${text}`);
  armed = { name, passesLeft: Number(passes) };
}

/** A place where a fault test lets the process die. */
export function failpoint(name: string): void {
  if (armed?.name !== name) return;
  armed.passesLeft -= 1;
  if (armed.passesLeft === 0) process.kill(process.pid, "SIGKILL");
}
