import type pg from "pg";
import { keyColumns } from "./bus-schema.js";

/** A message that its consumer could not handle. Its content belongs to the tenant and is not shown. */
export interface DeadLetter {
  readonly consumer: string;
  /** Consumer and position identify the dead letter for a redrive. */
  readonly position: string;
  readonly messageId: string;
  readonly tenantId: string;
  readonly type: string;
  readonly ageSeconds: number;
  readonly error: string;
}

interface DeadLetterQuery {
  readonly consumer?: string | undefined;
  /** The dead letters after this one, ordered by consumer and position. */
  readonly after?: Pick<DeadLetter, "consumer" | "position"> | undefined;
  readonly limit: number;
}

/** How many held messages and dead letters a group has. */
interface GroupBacklog {
  readonly consumer: string;
  readonly held: number;
  readonly deadLetters: number;
}

const list = {
  name: "bus_dead_letters",
  text: `select consumer, position, envelope->>'id' as "messageId", envelope->>'tenantid' as "tenantId",
      envelope->>'type' as type, extract(epoch from now() - created_at)::float8 as "ageSeconds", error
    from bus.dead_letters
    where ($1::text is null or consumer = $1) and ($2::text is null or (consumer, position) > ($2, $3::bigint))
    order by consumer, position limit $4`,
};

const redrive = {
  name: "bus_redrive",
  text: `with letter as (
      delete from bus.dead_letters where consumer = $1 and position = $2 returning consumer, position, envelope)
    insert into bus.held (consumer, position, tenant, partition_key, envelope, attempts, not_before)
    select consumer, position, tenant, partition_key, envelope, 0, now()
    from (select letter.*, ${keyColumns("envelope")} from letter) keyed on conflict do nothing returning tenant`,
};

const backlog = {
  name: "bus_backlog",
  text: `select consumer, sum(held)::int as held, sum(dead)::int as "deadLetters" from (
      select consumer, count(*) as held, 0 as dead from bus.held group by consumer
      union all select consumer, 0, count(*) from bus.dead_letters group by consumer
      union all select name, 0, 0 from bus.consumers) counted
    group by consumer order by consumer`,
};

/** Dead letters, as operators see them. */
export class BusDeadLetters {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async list({ consumer, after, limit }: DeadLetterQuery): Promise<DeadLetter[]> {
    const values = [consumer ?? null, after?.consumer ?? null, after?.position ?? null, limit];
    return (await this.#pool.query<DeadLetter>({ ...list, values })).rows;
  }

  /**
   * Holds the message again, so that it is tried within a second with all its attempts. Returns the message's tenant,
   * or undefined when the message does not exist.
   */
  async redrive(consumer: string, position: string): Promise<string | undefined> {
    const { rows } = await this.#pool.query<{ tenant: string }>({ ...redrive, values: [consumer, position] });
    return rows[0]?.tenant;
  }

  async backlog(): Promise<GroupBacklog[]> {
    return (await this.#pool.query<GroupBacklog>(backlog)).rows;
  }
}
