import type { AuthenticationLevel } from "./authentication-levels.js";
import type { Scope } from "./scopes.js";

/** The principal types that may change a setting, as the claim `principalType` names them. */
type SettingChanger = "User" | "Service" | "Agent";

/** The principals that may change a setting, and a weaker value's needs. */
export interface ChangeRule<Value> {
  /** The scopes that a change needs, beside `config.manage`. */
  readonly scopes: readonly Scope[];
  readonly by: readonly SettingChanger[];
  /** Absent: no value protects less than another one. */
  readonly weakening?: Weakening<Value>;
}

/**
 * The needs for a value by which a setting protects less. Only a person can ask for one, with a sign-in in the last 15
 * minutes.
 */
export interface Weakening<Value> {
  /** Whether `next` protects less than `present`. */
  readonly isWeaker: (next: Value, present: Value) => boolean;
  /** The level that the sign-in needs, or a higher one that `governance.approve.acr` asks for. Null: a password is enough. */
  readonly level: AuthenticationLevel | null;
  /** Whether another person must approve the weaker value before it acts. */
  readonly secondPerson: boolean;
}

export const peopleAndServices: readonly SettingChanger[] = ["User", "Service"];
export const everybody: readonly SettingChanger[] = ["User", "Service", "Agent"];

/** A lower number protects less. */
export const lowerIsWeaker = (next: number, present: number): boolean => next < present;

/** A higher number protects less. */
export const higherIsWeaker = (next: number, present: number): boolean => next > present;

/** A list that says what is allowed; an empty one allows everything. */
export const allowsMore = (next: readonly string[], present: readonly string[]): boolean =>
  present.length > 0 && (next.length === 0 || next.some((item) => !present.includes(item)));
