import type { Principal } from "@factory/runtime/auth/principal";

export interface SubscriberGroup {
  /** Equal for principals that see the same of every event. */
  readonly key: string;
  /** The members that all principals of the group share. Reading another member throws. */
  readonly principal: Principal;
}

/** Whether a guard or resolver behind an event may read a member. The readable members form the key of the group. */
const readable: Readonly<Record<keyof Principal, boolean>> = {
  tenantId: true,
  tenantSlug: true,
  editionCode: true,
  scopes: true,
  principalType: true,
  platformAdmin: true,
  agentTaskId: true,
  approvalId: true,
  roles: true,
  subject: false,
  clientId: false,
  grantId: false,
  actors: false,
  authTime: false,
  firstParty: false,
  tokenId: false,
  expiresAt: false,
};

const members = Object.keys(readable) as (keyof Principal)[];
const groups = new WeakMap<Principal, SubscriberGroup>();

/** The group of a principal. It is kept with the principal, which lives as long as its token is cached. */
export function subscriberGroup(principal: Principal): SubscriberGroup {
  let group = groups.get(principal);
  if (!group) {
    group = { key: keyOf(principal), principal: commonPart(principal) };
    groups.set(principal, group);
  }
  return group;
}

function keyOf(principal: Principal): string {
  return JSON.stringify(
    members
      .filter((member) => readable[member])
      .map((member) => {
        const value = principal[member];
        return value instanceof Set || Array.isArray(value) ? [...(value as Iterable<string>)].sort() : (value ?? null);
      }),
  );
}

/** A view of the principal that throws for other members, since such an answer would be wrong for the rest of the group. */
function commonPart(principal: Principal): Principal {
  const common = {};
  for (const member of members) {
    const get = readable[member]
      ? () => principal[member]
      : () => {
          throw new Error(`The member "${member}" is not the same for all subscribers of a group`);
        };
    Object.defineProperty(common, member, { get, enumerable: true });
  }
  return common as Principal;
}
