import type { Principal } from "@factory/runtime/auth/principal";
import type { Transaction } from "@factory/runtime/db/database";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { User } from "../users/user.entity.js";
import type { Approval } from "./approval.entity.js";

type Wish = Pick<Approval, "subject" | "agentClientId">;

/** An agent is led by somebody, so no agent's eyes are a second pair; nor are a client's whose secret the subject knows. */
export async function requireFourEyes(transaction: Transaction, decider: Principal, wish: Wish): Promise<void> {
  const { subject, clientId, principalType } = decider;
  const interested = [wish.subject, wish.agentClientId];
  if (principalType === "Agent" || interested.includes(subject) || interested.includes(clientId))
    throw selfApproval("Neither whom the agent acts for nor an agent decides: somebody else of the tenant does.");
  if (await inTheSameHands(transaction, subject, wish))
    throw selfApproval(
      "Who decides is in the hands of an agent, of whom the agent acts for, or of who holds the client secrets of both.",
    );
}

interface HandRow {
  side: "decider" | "subject";
  principal: string;
  /** Of a client of the tenant; null for its people, and for whoever is of another tenant. */
  principal_type: "Service" | "Agent" | null;
  platform_admin: boolean | null;
}

// `union` drops what was met before: clients that hold each other's secrets end the walk
const handsOnBothSides = `with recursive hands (side, principal) as (
    select * from (values ('decider', $2::text), ('subject', $3::text)) as ends (side, principal)
    union
    select hands.side, holder from hands
      join api_clients client on client.tenant_id = $1 and client.client_id = hands.principal
      cross join unnest(string_to_array(client.secret_held_by, ' ')) as holder)
  select hands.side, hands.principal, client.principal_type, client.platform_admin from hands
    left join api_clients client on client.tenant_id = $1 and client.client_id = hands.principal`;

async function inTheSameHands(transaction: Transaction, decider: string, wish: Wish): Promise<boolean> {
  const { execute, tenant } = transaction;
  const rows = await execute<HandRow>(handsOnBothSides, [tenant.uuid, decider, wish.subject]);
  const deciding = rows.filter(({ side }) => side === "decider");
  if (deciding.some((hand) => hand.principal === wish.agentClientId || hand.principal_type === "Agent")) return true;
  const subjects = new Set(rows.filter(({ side }) => side === "subject").map(({ principal }) => principal));
  const common = deciding.filter(({ principal }) => subjects.has(principal));
  if (common.some((hand) => [decider, wish.subject].includes(hand.principal))) return true;
  // the platform's administrators make clients for many who are not them
  if (common.some((hand) => hand.principal_type !== null && hand.platform_admin === false)) return true;
  return anyPersonOf(transaction, common);
}

async function anyPersonOf({ em, tenant }: Transaction, hands: readonly HandRow[]): Promise<boolean> {
  const people = hands.map(({ principal }) => principal).filter((principal) => principal.startsWith("usr_"));
  return people.length > 0 && (await em.count(User, { tenantId: tenant.tenantId, userId: { $in: people } })) > 0;
}

const selfApproval = (detail: string) => new DomainError("SELF_APPROVAL", { detail });
