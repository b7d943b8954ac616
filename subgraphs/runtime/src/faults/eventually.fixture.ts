/** Waits until the condition is true. Throws with the given name when the time is over. */
export async function eventually(
  conditionName: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 180_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${conditionName}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
