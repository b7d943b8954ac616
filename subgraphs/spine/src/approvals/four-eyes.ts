import type { Principal } from "@factory/runtime/auth/principal";
import { requireRecentSignIn } from "@factory/runtime/auth/step-up";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { User } from "../users/user.entity.js";
import type { Approval } from "./approval.entity.js";

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

interface HandRow {
  side: "decider" | "subject";
  principal: string;
  /** Of a client of the tenant; null for its people, and for principals of other tenants. */
  principal_type: "Service" | "Agent" | null;
  platform_admin: boolean | null;
}

const isAgent = (hand: HandRow, wish: Wish) => hand.principal === wish.agentClientId || hand.principal_type === "Agent";

/** Adds who holds the secrets of clients. `union` drops what was met before, so that a ring of holders ends. */
const withHolders = (columns: string) => `union
    select ${columns} from hands
      join api_clients client on client.tenant_id = $1 and client.client_id = hands.principal
      cross join unnest(string_to_array(client.secret_held_by, ' ')) as holder`;

const bothSides = `with recursive hands (side, principal) as (
    select * from (values ('decider', $2::text), ('subject', $3::text)) as ends (side, principal)
    ${withHolders("hands.side, holder")})
  select hands.side, hands.principal, client.principal_type, client.platform_admin from hands
    left join api_clients client on client.tenant_id = $1 and client.client_id = hands.principal`;

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

async function peopleOf({ em, tenant }: Transaction, hands: readonly HandRow[]): Promise<ReadonlySet<string>> {
  const ids = hands.map(({ principal }) => principal).filter((id) => decodeId("usr", id) !== undefined);
  if (ids.length === 0) return new Set();
  const users = await em.find(User, { tenantId: tenant.tenantId, userId: { $in: ids } }, { fields: ["userId"] });
  return new Set(users.map(({ userId }) => userId));
}

/**
 * `client.manage` and every scope of the client are what `requireHeld` asks of those who renew its secret, change its
 * keys or its addresses. Services have them by themselves, people by their roles, agents never.
 */
const changers = `with recursive decider as (
    select array_append(scopes, 'client.manage') as needed from api_clients where tenant_id = $1 and client_id = $2),
  hands (principal) as (
    select client_id from api_clients changer, decider
      where changer.tenant_id = $1 and changer.status = 'Active' and changer.principal_type = 'Service'
        and 'client_credentials' = any(changer.grant_types) and changer.scopes @> decider.needed
    ${withHolders("holder")}),
  people as (
    select array_agg(scope) as scopes from role_assignments assignment
      join roles role on role.tenant_id = $1 and role.role_id = assignment.role_id
      cross join unnest(role.scopes) as scope
      where assignment.tenant_id = $1 and principal_id = any($3) and (expires_at is null or expires_at > now())
      group by principal_id)
  select exists (select from hands where principal = any($3))
    or exists (select from people, decider where people.scopes @> decider.needed) as found`;

async function mayChange({ execute, tenant }: Transaction, clientId: string, side: string[]): Promise<boolean> {
  const rows = await execute<{ found: boolean }>(changers, [tenant.uuid, clientId, side]);
  return rows[0]?.found === true;
}

const selfApproval = (detail: string) => new DomainError("SELF_APPROVAL", { detail });
