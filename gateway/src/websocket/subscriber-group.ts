import type { Principal } from "@factory/runtime/auth/principal";

export interface SubscriberGroup {
  /** Equal for principals who see the same of every event. */
  readonly key: string;
  /** What they have in common; to read anything else of it throws. */
  readonly principal: Principal;
}

/** Whether a guard or resolver behind an event may read a member. What it may read is part of the group's key. */
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

/** Remembered with the principal, who lives as long as its token is remembered. */
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

/** An answer that depended on more would be wrong for the others of the group: it fails instead. */
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
