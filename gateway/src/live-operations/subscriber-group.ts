import type { Principal } from "@factory/runtime/auth/principal";

interface SubscriberGroup {
  /** Principals with the same key see the same part of every event. */
  readonly key: string;
  /** The members that all principals in the group share. Reading another member throws. */
  readonly principal: Principal;
}

/** The value is true for members that an event's guards and resolvers may read. These members form the group's key. */
const readable: Readonly<Record<keyof Principal, boolean>> = {
  tenantId: true,
  tenantSlug: true,
  editionCode: true,
  scopes: true,
  principalType: true,
  platformAdmin: true,
  agentTaskId: true,
  approvalId: true,
  publishApproval: true,
  withheldScopes: true,
  roles: true,
  subject: false,
  clientId: false,
  grantId: false,
  actors: false,
  clients: false,
  acr: false,
  authTime: false,
  firstParty: false,
  passwordGrant: false,
  tokenId: false,
  expiresAt: false,
};

const members = Object.keys(readable) as (keyof Principal)[];
const groups = new WeakMap<Principal, SubscriberGroup>();

/**
 * Returns a principal's group. The group is cached as long as the principal, and the principal as long as its token.
 */
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

/**
 * Returns a principal with the readable members only. Reading another member throws, because its value would be wrong
 * for the group's other principals.
 */
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
