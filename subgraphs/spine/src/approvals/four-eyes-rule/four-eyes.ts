import type { Principal } from "@factory/runtime/auth/principal";
import { requireBrowserSignIn, requireRecentSignIn } from "@factory/runtime/auth/step-up";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { AuthenticationLevel } from "@factory/schema/authentication-levels";
import { newAccountDays } from "../../people/user-origins/new-account.js";
import { userStatuses } from "../../rights/access-control/user-status-statement.js";
import { bothSides, changers, type HolderRow } from "./four-eyes-statement.js";

/** A principal's request, on which another principal decides. */
export interface FourEyesRequest {
  /** The principal that asked, or for whom an agent asked. */
  readonly subject: string;
  /** The client that the asking agent uses. Many users sign in at one client, so a user's client did not ask. */
  readonly agent: string | null;
  /** Only a person decides, and inviters count in a young tenant, too. */
  readonly ofPeople: boolean;
}

/**
 * The four-eyes rule: the principal that decides must differ from the principal that asked. Throws `SELF_APPROVAL` for
 * an agent, since a principal controls it, for a client whose secret the subject knows or may rotate, and for two users
 * if one has invited the other, or a third one both, in the last 30 days. A user must have signed in recently in a
 * browser, at a first-party client, so that no third party decides with the user's token, and at `level` (`acr`) or a
 * higher one. Only a user decides about a setting.
 */
export async function requireFourEyes(
  transaction: Transaction,
  decider: Principal,
  { request, level }: { request: FourEyesRequest; level: AuthenticationLevel | null },
): Promise<void> {
  const { subject, clientId, principalType, actors = [] } = decider;
  const requesters = request.agent === null ? [request.subject] : [request.subject, request.agent];
  if (principalType === "Agent" || actors.length > 0 || requesters.includes(subject) || requesters.includes(clientId))
    throw selfApproval(
      "The subject of the request and agents may not decide. Ask another user or service of the tenant to decide.",
    );
  if (request.ofPeople && principalType !== "User")
    throw new DomainError("PERSON_REQUIRED", {
      detail: "A service may not decide this. Ask another user of the tenant.",
    });
  const holders = await holdersOnBothSides(transaction, subject, request);
  if (holders.deciding.some((holder) => isAgent(holder, request) || holders.ofSubject.has(holder.principal)))
    throw selfApproval(
      principalType === "User"
        ? `The subject of the request and you may be one person: you know the secret of the subject, or one account has invited the other in the last ${newAccountDays} days, or a third one both. Ask another user to decide, or to confirm the new account (confirmUser).`
        : "The client that decides is controlled by an agent, by the subject of the request, or by a holder of the client secrets of both. Ask another user to decide.",
    );
  if (principalType === "User") {
    requireBrowserSignIn(decider);
    return requireRecentSignIn(decider, level);
  }
  if (await mayChange(transaction, clientId, [...requesters, ...holders.ofSubject]))
    throw selfApproval(
      "The subject of the request, or a holder of its secret, may rotate the secret or the keys of the client that decides. Let a user decide, or a client with scopes that the subject does not hold.",
    );
}

const isAgent = ({ principal, principal_type: type }: HolderRow, { agent }: FourEyesRequest) =>
  type === "Agent" || principal === agent;

/** Whether one principal may stand behind both, as the four-eyes rule follows secret holders and inviters. */
export async function mayBeOnePerson(
  transaction: Transaction,
  decider: string,
  request: FourEyesRequest,
): Promise<boolean> {
  const { deciding, ofSubject } = await holdersOnBothSides(transaction, decider, request);
  return deciding.some(({ principal }) => ofSubject.has(principal));
}

async function holdersOnBothSides(transaction: Transaction, decider: string, request: FourEyesRequest) {
  const { execute, tenant } = transaction;
  const rows = await execute<HolderRow>(bothSides, [tenant.uuid, decider, request.subject, request.ofPeople]);
  const users = await userStatuses(
    transaction,
    rows.map(({ principal }) => principal),
  );
  // platform administrators create clients for others, so they do not count as holders
  const counts = ({ principal, principal_type: type, platform_admin: admin }: HolderRow) =>
    [decider, request.subject].includes(principal) || (type !== null && admin === false) || users.has(principal);
  const ofSubject = rows.filter((row) => row.side === "subject" && counts(row)).map(({ principal }) => principal);
  return { deciding: rows.filter(({ side }) => side === "decider"), ofSubject: new Set(ofSubject) };
}

async function mayChange({ execute, tenant }: Transaction, clientId: string, side: string[]): Promise<boolean> {
  const rows = await execute<{ found: boolean }>(changers, [tenant.uuid, clientId, side]);
  return rows[0]?.found === true;
}

const selfApproval = (detail: string) => new DomainError("SELF_APPROVAL", { detail });
