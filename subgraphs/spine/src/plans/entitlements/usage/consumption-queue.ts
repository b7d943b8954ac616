import { DomainError } from "@factory/runtime/errors/domain-error";

interface Waiting<Order, Outcome> {
  readonly order: Order;
  readonly actor: string | undefined;
  readonly done: (outcome: Outcome) => void;
  readonly failed: (error: unknown) => void;
}

const maxBatch = 50;
const maxWaiting = 2000;

/** Runs one actor's orders together, and returns their outcomes in the same order. */
type RunBatch<Order, Outcome> = (orders: readonly [Order, ...Order[]]) => Promise<readonly Outcome[]>;

/**
 * Lets consumptions on one counter wait for each other in this process, not on database connections: they need the same
 * row lock anyway. Orders that wait together are counted in one transaction and share its commit.
 */
export class ConsumptionQueue<Order, Outcome> {
  readonly #run: RunBatch<Order, Outcome>;
  readonly #queues = new Map<string, Waiting<Order, Outcome>[]>();

  constructor(run: RunBatch<Order, Outcome>) {
    this.#run = run;
  }

  /** `counter` names what the orders share, and `actor` whose events they cause. */
  add(counter: string, actor: string | undefined, order: Order): Promise<Outcome> {
    return new Promise((done, failed) => {
      const waiting = { order, actor, done, failed };
      const queue = this.#queues.get(counter);
      if (!queue) {
        this.#queues.set(counter, [waiting]);
        void this.#drain(counter);
      } else if (queue.length < maxWaiting) queue.push(waiting);
      else
        failed(
          new DomainError("UNAVAILABLE", {
            detail: "Too many consumptions of this feature wait. Try again in a moment.",
            retryAfterSeconds: 1,
          }),
        );
    });
  }

  async #drain(counter: string): Promise<void> {
    const queue = this.#queues.get(counter) ?? [];
    for (let batch = nextBatch(queue); batch; batch = nextBatch(queue)) await this.#settle(batch);
    this.#queues.delete(counter);
  }

  async #settle(batch: readonly [Waiting<Order, Outcome>, ...Waiting<Order, Outcome>[]]): Promise<void> {
    const [first, ...others] = batch;
    try {
      const outcomes = await this.#run([first.order, ...others.map(({ order }) => order)]);
      for (const [at, { done }] of batch.entries()) done(outcomes[at] as Outcome);
    } catch (error) {
      for (const { failed } of batch) failed(error);
    }
  }
}

/** The first orders in the queue that have one actor. */
function nextBatch<Order, Outcome>(
  queue: Waiting<Order, Outcome>[],
): [Waiting<Order, Outcome>, ...Waiting<Order, Outcome>[]] | undefined {
  const other = queue.findIndex(({ actor }) => actor !== queue[0]?.actor);
  const [first, ...others] = queue.splice(0, Math.min(maxBatch, other === -1 ? queue.length : other));
  return first && [first, ...others];
}
