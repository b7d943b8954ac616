/** A queue in which owners take turns, so that an owner with much work delays only its own items. */
export class FairQueue<Item> {
  /** The owners in the order of their turns. */
  readonly #waiting = new Map<string, Item[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  waitingFor(owner: string): number {
    return this.#waiting.get(owner)?.length ?? 0;
  }

  push(owner: string, item: Item): void {
    const own = this.#waiting.get(owner);
    if (own) own.push(item);
    else this.#waiting.set(owner, [item]);
    this.#length += 1;
  }

  /** Adds an item that was taken and is not done: it comes before the others of its owner, after the other owners. */
  putBack(owner: string, item: Item): void {
    const own = this.#waiting.get(owner);
    if (own) own.unshift(item);
    else this.#waiting.set(owner, [item]);
    this.#length += 1;
  }

  /** Removes and returns the next item of the first owner in turn for which `mayGo` is true. */
  shift(mayGo: (owner: string) => boolean = () => true): Item | undefined {
    const owner = this.#firstThat(mayGo);
    const items = owner === undefined ? undefined : this.#waiting.get(owner);
    if (owner === undefined || !items) return undefined;
    const item = items.shift();
    this.#waiting.delete(owner);
    // The next turn of this owner comes after all others.
    if (items.length > 0) this.#waiting.set(owner, items);
    this.#length -= 1;
    return item;
  }

  /** Whether an owner waits for which `mayGo` is true. */
  has(mayGo: (owner: string) => boolean): boolean {
    return this.#firstThat(mayGo) !== undefined;
  }

  #firstThat(mayGo: (owner: string) => boolean): string | undefined {
    for (const owner of this.#waiting.keys()) if (mayGo(owner)) return owner;
    return undefined;
  }

  /** Returns false when the item has left the queue already. */
  remove(owner: string, item: Item): boolean {
    const items = this.#waiting.get(owner) ?? [];
    const place = items.indexOf(item);
    if (place < 0) return false;
    items.splice(place, 1);
    if (items.length === 0) this.#waiting.delete(owner);
    this.#length -= 1;
    return true;
  }
}
