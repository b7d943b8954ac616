const actions = {
  kill: () => process.kill(process.pid, "SIGKILL"),
  throw: (name: string) =>
    setTimeout(() => {
      throw new Error(`failpoint ${name}`, { cause: new Error("thrown out of a timer") });
    }),
  reject: (name: string) =>
    void Promise.reject(new Error(`failpoint ${name}`, { cause: new Error("rejected, and nothing awaits it") })),
};

interface Armed {
  readonly name: string;
  readonly act: (name: string) => unknown;
  passesLeft: number;
}

let armed: Armed | undefined;

/** `<failpoint>:<action>:<n>`: what happens when this process comes to the failpoint for the n-th time. */
const plan = /^([\w.]+):(kill|throw|reject):([1-9]\d{0,5})$/;

/** Fault tests only: nothing arms a failpoint in production. */
export function armFailpoint(text: string): void {
  const [, name, action, passes] = plan.exec(text) ?? [];
  if (name === undefined)
    throw new Error(
      `FAIL must have the form <failpoint>:<action>:<pass>, for example outbox.published:kill:1, not ${text}`,
    );
  armed = { name, act: actions[action as keyof typeof actions], passesLeft: Number(passes) };
}

/** A place where a fault test lets the process die or fail. */
export function failpoint(name: string): void {
  if (armed?.name !== name) return;
  armed.passesLeft -= 1;
  if (armed.passesLeft === 0) armed.act(name);
}
