/** A queue in which owners take turns, so that an owner with much work delays only its own items. */
export class FairQueue<Item> {
  /** The owners in turn order. */
  readonly #waiting = new Map<string, Item[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  waitingFor(owner: string): number {
    return this.#waiting.get(owner)?.length ?? 0;
  }

  push(owner: string, item: Item): void {
    const ownItems = this.#waiting.get(owner);
    if (ownItems) ownItems.push(item);
    else this.#waiting.set(owner, [item]);
    this.#length += 1;
  }

  /** Adds an item that was taken and is not done: it comes before its owner's other items, after the other owners. */
  putBack(owner: string, item: Item): void {
    const ownItems = this.#waiting.get(owner);
    if (ownItems) ownItems.unshift(item);
    else this.#waiting.set(owner, [item]);
    this.#length += 1;
  }

  /** Removes and returns the first owner's next item, among the owners for which `mayGo` is true. */
  shift(mayGo: (owner: string) => boolean = () => true): Item | undefined {
    const owner = this.#firstThat(mayGo);
    const items = owner === undefined ? undefined : this.#waiting.get(owner);
    if (owner === undefined || !items) return undefined;
    const item = items.shift();
    this.#waiting.delete(owner);
    // This owner's next turn comes after all others.
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
