/**
 * Makes the answer to an event once for all subscribers in a group. An answer is held weakly, only while a subscriber
 * still uses it. A later subscriber makes the answer again, so a slow subscriber does not fill the memory.
 */
export class GroupAnswers<Answer> {
  readonly #ofEvent = new WeakMap<object, Map<string, WeakRef<Promise<Answer>>>>();

  /** `group` identifies everything besides the event that the answer depends on. Without a group nothing is shared. */
  get(event: unknown, group: string | undefined, make: () => Promise<Answer>): Promise<Answer> {
    if (group === undefined || typeof event !== "object" || event === null) {
      return make();
    }
    const answersByGroup = this.#ofEvent.get(event) ?? new Map<string, WeakRef<Promise<Answer>>>();
    this.#ofEvent.set(event, answersByGroup);
    let answer = answersByGroup.get(group)?.deref();
    if (!answer) {
      answer = make();
      answersByGroup.set(group, new WeakRef(answer));
    }
    return answer;
  }
}
