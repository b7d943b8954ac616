import type { Principal } from "@factory/runtime/auth/principal";
import { requireRecentSignIn } from "@factory/runtime/auth/step-up";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { AuthenticationLevel } from "@factory/schema/authentication-levels";
import type { Approval } from "./approval.entity.js";
import { ownPublishingTask } from "./approval-request.js";
import { bothSides, changers, type HolderRow, usersOfTenant } from "./four-eyes-statement.js";

type RequestedApproval = Pick<Approval, "subject" | "agentClientId" | "agentTaskId">;

/** The principals that asked: the subject, and its agent. Many users sign in at one client, so the client of a user did not ask. */
const askersOf = ({ subject, agentClientId, agentTaskId }: RequestedApproval) =>
  agentTaskId === ownPublishingTask ? [subject] : [subject, agentClientId];

/**
 * The four-eyes rule: the principal that decides must differ from the principal that asked. Throws `SELF_APPROVAL` for an
 * agent, since a principal controls it, and for a client whose secret the subject knows or may rotate. A user must have
 * signed in recently at a first-party client, so that no third party decides with the user's token, and at `level`
 * (`acr`) or a higher one.
 */
export async function requireFourEyes(
  transaction: Transaction,
  decider: Principal,
  { approval: request, level }: { approval: RequestedApproval; level: AuthenticationLevel | null },
): Promise<void> {
  const { subject, clientId, principalType, actors = [] } = decider;
  const interested = askersOf(request);
  if (principalType === "Agent" || actors.length > 0 || interested.includes(subject) || interested.includes(clientId))
    throw selfApproval(
      "The subject of the request and agents may not decide. Ask another user or service of the tenant to decide.",
    );
  const holders = await holdersOnBothSides(transaction, subject, request);
  if (holders.deciding.some((holder) => isAgent(holder, request) || holders.ofSubject.has(holder.principal)))
    throw selfApproval(
      "The client that decides is controlled by an agent, by the subject of the request, or by a holder of the client secrets of both. Ask another user to decide.",
    );
  if (principalType === "User") return requireRecentSignIn(decider, level);
  if (await mayChange(transaction, clientId, [...interested, ...holders.ofSubject]))
    throw selfApproval(
      "The subject of the request, or a holder of its secret, may rotate the secret or the keys of the client that decides. Let a user decide, or a client with scopes that the subject does not hold.",
    );
}

const isAgent = (holder: HolderRow, request: RequestedApproval) =>
  holder.principal_type === "Agent" ||
  (holder.principal === request.agentClientId && request.agentTaskId !== ownPublishingTask);

async function holdersOnBothSides(transaction: Transaction, decider: string, request: RequestedApproval) {
  const { execute, tenant } = transaction;
  const rows = await execute<HolderRow>(bothSides, [tenant.uuid, decider, request.subject]);
  const users = await usersAmong(transaction, rows);
  // administrators of the platform create clients for others, so they do not count as holders
  const counts = ({ principal, principal_type: type, platform_admin: admin }: HolderRow) =>
    [decider, request.subject].includes(principal) || (type !== null && admin === false) || users.has(principal);
  const ofSubject = rows.filter((row) => row.side === "subject" && counts(row)).map(({ principal }) => principal);
  return { deciding: rows.filter(({ side }) => side === "decider"), ofSubject: new Set(ofSubject) };
}

async function usersAmong(
  { execute, tenant }: Transaction,
  holders: readonly HolderRow[],
): Promise<ReadonlySet<string>> {
  const ids = holders.flatMap(({ principal }) => decodeId("usr", principal) ?? []);
  if (ids.length === 0) return new Set();
  const found = await execute<{ user_id: string }>(usersOfTenant, [tenant.uuid, ids]);
  return new Set(found.map(({ user_id: userId }) => encodeId("usr", userId)));
}

async function mayChange({ execute, tenant }: Transaction, clientId: string, side: string[]): Promise<boolean> {
  const rows = await execute<{ found: boolean }>(changers, [tenant.uuid, clientId, side]);
  return rows[0]?.found === true;
}

const selfApproval = (detail: string) => new DomainError("SELF_APPROVAL", { detail });
