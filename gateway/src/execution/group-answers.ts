/**
 * Answers to events, each made once for all subscribers of a group. An answer is kept for as long as one of them is
 * at work with it: a subscriber that comes to the event later has it made again, so that a slow one holds no memory.
 */
export class GroupAnswers<Answer> {
  readonly #ofEvent = new WeakMap<object, Map<string, WeakRef<Promise<Answer>>>>();

  /** `group` stands for everything that the answer depends on beside the event; undefined: nothing is shared. */
  get(event: unknown, group: string | undefined, make: () => Promise<Answer>): Promise<Answer> {
    if (group === undefined || typeof event !== "object" || event === null) {
      return make();
    }
    const known = this.#ofEvent.get(event) ?? new Map<string, WeakRef<Promise<Answer>>>();
    this.#ofEvent.set(event, known);
    let answer = known.get(group)?.deref();
    if (!answer) {
      answer = make();
      known.set(group, new WeakRef(answer));
    }
    return answer;
  }
}
