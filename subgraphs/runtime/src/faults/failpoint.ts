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

/** `<failpoint>:<action>:<n>`: the action that is taken when the process reaches the failpoint for the n-th time. */
const plan = /^([\w.]+):(kill|throw|reject):([1-9]\d{0,5})$/;

/** Arms a failpoint, for fault tests only. */
export function armFailpoint(text: string): void {
  const [, name, action, passes] = plan.exec(text) ?? [];
  if (name === undefined)
    throw new Error(
      `FAIL must have the form <failpoint>:<action>:<pass>, for example outbox.published:kill:1, not ${text}`,
    );
  armed = { name, act: actions[action as keyof typeof actions], passesLeft: Number(passes) };
}

/** Marks a place where a fault test may end the process or throw. */
export function failpoint(name: string): void {
  if (armed?.name !== name) return;
  armed.passesLeft -= 1;
  if (armed.passesLeft === 0) armed.act(name);
}
