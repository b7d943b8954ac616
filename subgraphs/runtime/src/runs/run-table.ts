import type { IdPrefix } from "@factory/schema/id-prefixes";
import { type NamedStatement, namedStatement } from "../db/named-parameters.js";
import { decodeId } from "../identifiers/wire-id.js";
import type { Transaction } from "../unit-of-work/database.js";

interface RunTableDefinition {
  readonly table: string;
  /** The id column, beside `tenant_id` in the primary key. */
  readonly key: string;
  readonly prefix: IdPrefix;
  /** The PostgreSQL channel that gets lines `<run uuid> <status>` when moves are committed. */
  readonly channel: string;
  /** Assignments in every move, for example the next sequence number. */
  readonly counted?: string;
  /** A statement over `moved` that stores the step in a separate table. */
  readonly noted?: string;
  /** The columns that a move returns. Default: all. */
  readonly returned?: string;
}

/** A change to one run. */
interface Change {
  /** The id with its prefix. */
  readonly id: string;
  /** The statement's parameters beside the run and its state. */
  readonly values?: Readonly<Record<string, unknown>>;
}

export interface Move<State extends string> extends Change {
  readonly to: State;
}

/**
 * A run table: each row is work that one worker at a time claims, and that moves from state to state. Every claim
 * raises the row's fencing number (`fence`), and a claim's moves are bound to it, so that a worker that has lost its
 * claim changes nothing.
 */
export class RunTable<Row extends Record<string, unknown>, State extends string> {
  readonly #definition: RunTableDefinition;

  constructor(definition: RunTableDefinition) {
    this.#definition = definition;
  }

  get channel(): string {
    return this.#definition.channel;
  }

  /** A run's UUID. Throws when the text is not a run's id. */
  uuid(id: string): string {
    const uuid = decodeId(this.#definition.prefix, id);
    if (uuid === undefined) throw new Error(`"${id}" is not the id of a run in ${this.#definition.table}.`);
    return uuid;
  }

  /** The statement that moves a run to `$status`, with the assignments in `set`, where its row satisfies `when`. */
  moveStatement(name: string, set: string, when: string): NamedStatement {
    const { counted, noted } = this.#definition;
    const update = this.#update(
      ["status = $status", ...(counted === undefined ? [] : [counted]), set].join(", "),
      when,
    );
    const text = noted === undefined ? update : `with moved as (${update}), noted as (${noted}) select * from moved`;
    return namedStatement(name, text);
  }

  /** The statement that changes a run without a move. */
  changeStatement(name: string, set: string, when: string): NamedStatement {
    return namedStatement(name, this.#update(set, when));
  }

  /** Moves a run, and tells its watchers with the commit. Undefined, without any change: `when` is not satisfied. */
  async move(
    transaction: Pick<Transaction, "execute" | "tenant" | "notify">,
    statement: NamedStatement,
    { id, to, values }: Move<State>,
  ): Promise<Row | undefined> {
    const row = await this.change(transaction, statement, { id, values: { ...values, status: to } });
    if (row) transaction.notify(this.channel, `${this.uuid(id)} ${to}`);
    return row;
  }

  /** Changes a run without telling its watchers. Undefined, without any change: `when` is not satisfied. */
  async change(
    { execute, tenant }: Pick<Transaction, "execute" | "tenant">,
    statement: NamedStatement,
    { id, values }: Change,
  ): Promise<Row | undefined> {
    const [row] = await execute<Row>(
      statement,
      statement.valuesOf({ ...values, tenant: tenant.uuid, run: this.uuid(id) }),
    );
    return row;
  }

  #update(set: string, when: string): string {
    const { table, key, returned = "*" } = this.#definition;
    return `update ${table} set ${set} where tenant_id = $tenant and ${key} = $run and ${when} returning ${returned}`;
  }
}
