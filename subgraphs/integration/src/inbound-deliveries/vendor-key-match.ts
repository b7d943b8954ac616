import type { ArrivedDelivery } from "../arrived-deliveries/arrived-delivery.js";
import { isForm, parsedBody, valueAt } from "../arrived-deliveries/delivery-values.js";
import type { ProviderDriver } from "../provider-drivers/provider-driver.js";
import type { Candidate, CandidateSet, Claim } from "./candidate.js";

/** The tenants with connections that have an account at the vendor; `tenant` (a UUID) asks for that one only. */
export interface AccountHolders {
  holders(key: string, account: string, tenant?: string): Promise<readonly Claim[]>;
}

/** The tenants whose key set, or public key, verifies the signature. */
export type Verify = (claims: readonly Claim[]) => Promise<readonly Claim[]>;

/** More accounts, or more tenants with one account, are not asked about: the hint of a resource is needed then. */
const maxAccounts = 8;
const maxClaims = 8;

const isResource = ({ hint }: ArrivedDelivery): boolean => hint?.kind === "subscription" || hint?.kind === "connection";

/**
 * The tenants that a signature with a public key of the vendor belongs to; several make the delivery ambiguous. The
 * signature proves the vendor only, because every tenant may register the key. So the account in the signed body decides,
 * where the driver names one; else the resource of the hint, or that no other tenant has registered the key.
 */
export async function matchesOfVendorKey(
  delivery: ArrivedDelivery,
  claims: readonly Claim[],
  holders: AccountHolders,
  verify: Verify,
): Promise<readonly Claim[]> {
  if (isResource(delivery)) {
    const verified = await verify(claims);
    const agreed = await Promise.all(verified.map((claim) => agrees(delivery, claim, holders)));
    return verified.filter((_, place) => agreed[place]);
  }
  const ofAccount = await verify(await holdersOf(delivery, claims, holders));
  if (ofAccount.length > 0) return takingPart(ofAccount);
  if (claims.length > maxClaims || claims.every(({ driver }) => namesAccount(driver))) return [];
  const verified = await verify(claims);
  const unnamed = verified.filter(({ driver }) => !namesAccount(driver));
  return unnamed.length === 0 ? [] : takingPart(verified);
}

/** A single tenant must take deliveries now. */
const takingPart = (claims: readonly Claim[]): readonly Claim[] =>
  claims.length === 1 ? claims.filter(({ takesPart }) => takesPart) : claims;

/** Whether the account in the signed body is one of the resource that the hint names. */
async function agrees(delivery: ArrivedDelivery, claim: Claim, accounts: AccountHolders): Promise<boolean> {
  if (!namesAccount(claim.driver)) return true;
  const account = signedAccount(delivery, claim.driver);
  if (account === undefined) return false;
  if (claim.connectionId !== null) return account === claim.account;
  const [holder] = await accounts.holders(claim.providerKey, account, claim.tenant.uuid);
  return holder?.takesPart ?? false;
}

/** The tenants with the account that the body names at the place that their own driver describes. */
async function holdersOf(
  delivery: ArrivedDelivery,
  claims: readonly Claim[],
  holders: AccountHolders,
): Promise<readonly Claim[]> {
  const { hint, providerKey = "" } = delivery;
  const naming = claims.filter(({ driver }) => namesAccount(driver));
  const byPath = new Map(naming.map(({ driver }) => [pathOf(driver), signedAccount(delivery, driver)]));
  const accounts = [...new Set(byPath.values())].filter(
    (account) => account !== undefined && (hint === undefined || hint.value === account),
  );
  const found: Claim[] = [];
  for (const account of accounts.slice(0, maxAccounts)) {
    const held = await holders.holders(providerKey, account ?? "");
    found.push(...held.filter(({ driver }) => namesAccount(driver) && signedAccount(delivery, driver) === account));
  }
  return found.length > maxClaims ? [] : found;
}

const pathOf = ({ webhook }: Claim["driver"]): string => `${webhook?.account} ${webhook?.batch ?? false}`;

/** The claims of candidates whose public key has verified the delivery. */
export const claimsOfCandidates = ({ claims }: CandidateSet, verified: readonly Candidate[]): Claim[] =>
  verified.map((candidate) => ({
    ...candidate,
    account: claims.find(({ connectionId }) => connectionId === candidate.connectionId)?.account ?? null,
    takesPart: true,
  }));

const maxAccountLength = 255;
const inBody = /^(?:body|form):/;

/** Whether the driver says where the account stands in the body. A header is not signed, so that it proves no account. */
const namesAccount = ({ webhook }: ProviderDriver): boolean => inBody.test(webhook?.account ?? "");

/** Whether a body may be read in two ways. The header that decides it is not signed. */
const isAmbiguous = ({ message }: ArrivedDelivery): boolean =>
  isForm(message.headers.get("content-type")?.[0]) && /^\s*[[{"]/.test(message.body.toString("latin1", 0, 64));

/** The account that the signed body names; undefined for none, and for events of several accounts. */
function signedAccount(delivery: ArrivedDelivery, { webhook }: ProviderDriver): string | undefined {
  const path = webhook?.account;
  if (path === undefined || isAmbiguous(delivery)) return undefined;
  const body = parsed(delivery, webhook);
  const events: unknown[] = webhook?.batch && Array.isArray(body) ? body : [body];
  const accounts = new Set(events.map((event) => valueAt(path, { delivery, body: event })));
  const [account] = accounts;
  return accounts.size === 1 && account !== undefined && account.length <= maxAccountLength ? account : undefined;
}

/** Undefined for a body that cannot be read. */
function parsed(delivery: ArrivedDelivery, webhook: ProviderDriver["webhook"]): unknown {
  try {
    return parsedBody(delivery, webhook).body;
  } catch {
    return undefined;
  }
}
