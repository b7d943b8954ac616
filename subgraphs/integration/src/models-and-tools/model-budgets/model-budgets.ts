import { namedStatement } from "@factory/runtime/db/named-parameters";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { ModelBudget } from "@factory/schema/tenant-setting-values";

/** Tokens that a call may use, taken from a budget. The call's run keeps it. */
export interface Reservation {
  readonly budget: string;
  readonly tokens: number;
  /** The time in which one token comes back; 0 where the budget has no tokens. */
  readonly secondsPerToken: number;
}

/** A tenant's budget with its key in the setting `models.budgets`. */
export interface NamedBudget extends ModelBudget {
  readonly key: string;
}

/** The part that a call wants from a budget. */
export interface Wanted {
  readonly budget: NamedBudget;
  readonly tokens: number;
}

/** A reservation with the tokens that were used from it. */
interface Settled {
  readonly reservation: Reservation;
  readonly used: number;
}

/** A budget's longest period. More is not owed: a vendor's number must not stop its tenant for years. */
const maxDebtSeconds = 2_678_400;

/** The entry for all models that do not have their own. */
const otherModels = "*";

/**
 * The generic cell rate algorithm for requests and for tokens, for the tenant `$1`. The placeholders stand for the
 * budget, for the seconds in which the requests and their tokens come back, 0 without such a limit, and for the period.
 * No row is returned when either is used up.
 */
export const reserving = (
  budget: string,
  request: string,
  token: string,
  period: string,
): string => `insert into model_budgets as used (tenant_id, budget, request_at, token_at)
    values ($1, ${budget}, now() + make_interval(secs => ${request}::float8), now() + make_interval(secs => ${token}::float8))
    on conflict (tenant_id, budget) do update
      set request_at = greatest(used.request_at, now()) + make_interval(secs => ${request}::float8),
        token_at = greatest(used.token_at, now()) + make_interval(secs => ${token}::float8)
      where (${request}::float8 = 0 or greatest(used.request_at, now()) + make_interval(secs => ${request}::float8) <= now() + make_interval(secs => ${period}::float8))
        and (${token}::float8 = 0 or greatest(used.token_at, now()) + make_interval(secs => ${token}::float8) <= now() + make_interval(secs => ${period}::float8))
    returning true`;

/** The names follow the tenant, which is `$1`. */
const reserve = namedStatement("model_budget_reserve", reserving("$budget", "$request", "$token", "$period"), 2);

const wait = namedStatement(
  "model_budget_wait",
  `select extract(epoch from greatest(
      case when $request::float8 = 0 then now()
        else request_at + make_interval(secs => $request::float8 - $period::float8) end,
      case when $token::float8 = 0 then now()
        else token_at + make_interval(secs => $token::float8 - $period::float8) end) - now())::float8 as seconds
    from model_budgets where tenant_id = $1 and budget = $budget`,
  2,
);

const lock = {
  name: "model_budget_lock",
  text: `select budget from model_budgets where tenant_id = $1 and budget = any($2) order by budget collate "C" for update`,
};

/** $3: the seconds in which the tokens come back that were reserved and not used; negative where more were used. */
const settle = {
  name: "model_budget_settle",
  text: `update model_budgets set token_at = token_at - make_interval(secs => $3::float8)
    where tenant_id = $1 and budget = $2`,
};

/**
 * Tenants' budgets, in requests and in tokens. A call reserves the most tokens that it may use, and at its end gives
 * those back that it has not used. A dead process's reservation comes back by itself.
 */
export class ModelBudgets {
  readonly #facts: TenantFacts;

  constructor(facts: TenantFacts) {
    this.#facts = facts;
  }

  /** The model's budget; undefined when it has none. */
  async find(tenantId: string, model: string): Promise<NamedBudget | undefined> {
    const budgets = (await this.#facts.of(tenantId)).setting("models.budgets");
    const key = Object.hasOwn(budgets, model) ? model : otherModels;
    const budget = Object.hasOwn(budgets, key) ? budgets[key] : undefined;
    return budget && { ...budget, key };
  }

  /** Throws RATE_LIMITED, with `retryAfterSeconds` unless the call asks for more than the whole budget. */
  async reserve({ execute, tenant }: Transaction, budget: NamedBudget, tokens: number): Promise<Reservation> {
    const { key, perSeconds } = budget;
    if (budget.tokens !== undefined && tokens > budget.tokens) throw tooMany(budget, tokens);
    const { secondsPerRequest, secondsPerToken } = secondsPer(budget);
    const token = tokens * secondsPerToken;
    const reservationValues = { budget: key, request: secondsPerRequest, token, period: perSeconds };
    const [reservedRow] = await execute(reserve, [tenant.uuid, ...reserve.valuesOf(reservationValues)]);
    if (reservedRow) return reservationOf({ budget, tokens });
    const [waitRow] = await execute<{ seconds: number }>(wait, [tenant.uuid, ...wait.valuesOf(reservationValues)]);
    throw usedUp(key, waitRow?.seconds ?? 1);
  }

  /**
   * Locks budgets when the transaction will change several. The order is the same for all, so that two calls with
   * opposite fallbacks do not wait for each other.
   */
  async lock({ defer, tenant }: Transaction, keys: readonly string[]): Promise<void> {
    await defer(lock, [tenant.uuid, keys]);
  }

  /**
   * As `reserve`, for one call after the other. A refusal takes its call's place, and changes nothing. The budgets are
   * locked in key order, so that two processes do not wait for each other in a circle.
   */
  async reserveAll(transaction: Transaction, calls: readonly Wanted[]): Promise<(Reservation | DomainError)[]> {
    const outcomes = new Map<Wanted, Reservation | DomainError>();
    for (const call of calls.toSorted((first, other) => inOrder(first.budget.key, other.budget.key)))
      outcomes.set(call, await this.#reserved(transaction, call));
    return calls.map((call) => outcomes.get(call) as Reservation | DomainError);
  }

  async #reserved(transaction: Transaction, { budget, tokens }: Wanted): Promise<Reservation | DomainError> {
    try {
      return await this.reserve(transaction, budget, tokens);
    } catch (error) {
      if (error instanceof DomainError) return error;
      throw error;
    }
  }

  /** Replaces the reserved tokens by those that were used. It is sent with the next statement or the commit. */
  async settle(transaction: Transaction, reservation: Reservation, usedTokens: number): Promise<void> {
    await this.settleAll(transaction, [{ reservation, used: usedTokens }]);
  }

  /** As `settle`, for several calls. */
  async settleAll({ defer, tenant }: Transaction, settlements: readonly Settled[]): Promise<void> {
    const unusedSeconds = new Map<string, number>();
    for (const { reservation, used } of settlements) {
      const { budget, tokens, secondsPerToken } = reservation;
      const seconds = Math.max((tokens - used) * secondsPerToken, -maxDebtSeconds);
      unusedSeconds.set(budget, (unusedSeconds.get(budget) ?? 0) + seconds);
    }
    for (const [budget, seconds] of [...unusedSeconds].sort(([first], [other]) => inOrder(first, other)))
      if (seconds !== 0) await defer(settle, [tenant.uuid, budget, seconds]);
  }
}

const secondsPer = ({ requests, tokens, perSeconds }: NamedBudget) => ({
  secondsPerToken: tokens === undefined ? 0 : perSeconds / tokens,
  secondsPerRequest: requests === undefined ? 0 : perSeconds / requests,
});

/** The order in which `lock` locks budgets too. */
const inOrder = (first: string, other: string) => (first < other ? -1 : 1);

/** Calls that reserve together, with the parameters in `reserving` for all calls. */
interface Share<W extends Wanted> {
  readonly wanted: readonly W[];
  readonly values: readonly [budget: string, request: number, token: number, period: number];
}

/**
 * Gathers calls by their budget, in key order. A budget that has changed meanwhile is another one. Calls that can never
 * reserve together are left out: they want more than the whole budget.
 */
export function sharesOf<W extends Wanted>(calls: readonly W[]): Share<W>[] {
  const groups = new Map<string, W[]>();
  for (const call of calls) {
    const { key, requests = null, tokens = null, perSeconds } = call.budget;
    const name = JSON.stringify([key, requests, tokens, perSeconds]);
    const group = groups.get(name);
    if (group) group.push(call);
    else groups.set(name, [call]);
  }
  return [...groups.values()].flatMap((group) => shareOf(group) ?? []).sort(byKey);
}

function shareOf<W extends Wanted>(group: readonly W[]): Share<W> | undefined {
  const [first] = group;
  if (!first) return undefined;
  const { key, perSeconds } = first.budget;
  const { secondsPerRequest, secondsPerToken } = secondsPer(first.budget);
  const request = group.length * secondsPerRequest;
  const token = group.reduce((sum, { tokens }) => sum + tokens, 0) * secondsPerToken;
  // A budget's first row is inserted without a comparison.
  if (request > perSeconds || token > perSeconds) return undefined;
  return { wanted: group, values: [key, request, token, perSeconds] };
}

const byKey = ({ values: [first] }: Share<Wanted>, { values: [other] }: Share<Wanted>) => inOrder(first, other);

/** The result that `reserve` has for a call. */
export const reservationOf = ({ budget, tokens }: Wanted): Reservation => ({
  ...{ budget: budget.key, tokens },
  secondsPerToken: secondsPer(budget).secondsPerToken,
});

const tooMany = ({ key, tokens }: NamedBudget, wantedTokens: number) =>
  new DomainError("RATE_LIMITED", {
    detail: `The call may use ${wantedTokens} tokens, and the whole budget "${key}" of the tenant has ${tokens}. Lower maxTokens or shorten the prompt.`,
    budget: key,
  });

const usedUp = (key: string, seconds: number) =>
  new DomainError("RATE_LIMITED", {
    detail: `The budget "${key}" of the tenant for models is used up. Try again later, or raise the setting models.budgets.`,
    budget: key,
    retryAfterSeconds: Math.max(1, Math.ceil(seconds)),
  });
