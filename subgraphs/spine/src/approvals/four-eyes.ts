import type { Principal } from "@factory/runtime/auth/principal";
import { requireRecentSignIn } from "@factory/runtime/auth/step-up";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { Approval } from "./approval.entity.js";
import { bothSides, changers, type HandRow, usersOfTenant } from "./four-eyes-statement.js";

type Wish = Pick<Approval, "subject" | "agentClientId">;

/**
 * An agent is led by somebody, so no agent's eyes are a second pair; nor are a client's whose secret the subject knows or
 * may renew. A person shows by a recent sign-in at a client of our own that no third party acts in its name.
 */
export async function requireFourEyes(transaction: Transaction, decider: Principal, wish: Wish): Promise<void> {
  const { subject, clientId, principalType, actors = [] } = decider;
  const interested = [wish.subject, wish.agentClientId];
  if (principalType === "Agent" || actors.length > 0 || interested.includes(subject) || interested.includes(clientId))
    throw selfApproval("Neither whom the agent acts for nor an agent decides: somebody else of the tenant does.");
  const hands = await handsOnBothSides(transaction, subject, wish);
  if (hands.deciding.some((hand) => isAgent(hand, wish) || hands.ofSubject.has(hand.principal)))
    throw selfApproval(
      "Who decides is in the hands of an agent, of whom the agent acts for, or of who holds the client secrets of both.",
    );
  if (principalType === "User") return requireRecentSignIn(decider);
  if (await mayChange(transaction, clientId, [wish.agentClientId, ...hands.ofSubject]))
    throw selfApproval(
      "The subject, or a holder of its secret, may renew the secret or the keys of the client that decides. Let a person decide, or a client with scopes that the subject does not hold.",
    );
}

const isAgent = (hand: HandRow, wish: Wish) => hand.principal === wish.agentClientId || hand.principal_type === "Agent";

async function handsOnBothSides(transaction: Transaction, decider: string, wish: Wish) {
  const { execute, tenant } = transaction;
  const rows = await execute<HandRow>(bothSides, [tenant.uuid, decider, wish.subject]);
  const people = await peopleOf(transaction, rows);
  // the platform's administrators make clients for many who are not them
  const counts = ({ principal, principal_type: type, platform_admin: admin }: HandRow) =>
    [decider, wish.subject].includes(principal) || (type !== null && admin === false) || people.has(principal);
  const ofSubject = rows.filter((row) => row.side === "subject" && counts(row)).map(({ principal }) => principal);
  return { deciding: rows.filter(({ side }) => side === "decider"), ofSubject: new Set(ofSubject) };
}

async function peopleOf({ execute, tenant }: Transaction, hands: readonly HandRow[]): Promise<ReadonlySet<string>> {
  const ids = hands.flatMap(({ principal }) => decodeId("usr", principal) ?? []);
  if (ids.length === 0) return new Set();
  const users = await execute<{ user_id: string }>(usersOfTenant, [tenant.uuid, ids]);
  return new Set(users.map(({ user_id: userId }) => encodeId("usr", userId)));
}

async function mayChange({ execute, tenant }: Transaction, clientId: string, side: string[]): Promise<boolean> {
  const rows = await execute<{ found: boolean }>(changers, [tenant.uuid, clientId, side]);
  return rows[0]?.found === true;
}

const selfApproval = (detail: string) => new DomainError("SELF_APPROVAL", { detail });
