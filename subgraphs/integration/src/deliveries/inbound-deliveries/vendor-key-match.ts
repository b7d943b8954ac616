import type { ProviderDriver } from "../../providers/provider-drivers/provider-driver.js";
import type { ArrivedDelivery } from "../arrived-deliveries/arrived-delivery.js";
import { eventsIn, isForm, isInBody, parsedBody, valueAt } from "../arrived-deliveries/delivery-values.js";
import type { Candidate, CandidateSet, Claim } from "../inbound-candidates/candidate.js";

/** The tenants with connections that have an account at the vendor; `tenant` (a UUID) asks for that one only. */
export interface AccountHolders {
  holders(key: string, account: string, tenant?: string): Promise<readonly Claim[]>;
}

/** The tenants whose key set, or public key, verifies the signature. */
export type Verify = (claims: readonly Claim[]) => Promise<readonly Claim[]>;

/** The keys of more tenants are not compared: a resource's hint is needed then. */
const maxClaims = 8;

const isResource = ({ hint }: ArrivedDelivery): boolean => hint?.kind === "subscription" || hint?.kind === "connection";

/**
 * The tenants to which a signature with a vendor's public key belongs; several make the delivery ambiguous. The
 * signature proves the vendor only, because every tenant may register the key. Without a hint's resource the account in
 * the signed body decides, where all tenants whose key verifies read it at one place. A tenant that reads it at another
 * place, or names none, could take the others' deliveries: it makes the delivery ambiguous.
 */
export async function matchesOfVendorKey(
  delivery: ArrivedDelivery,
  { claims, isWhole }: Pick<CandidateSet, "claims" | "isWhole">,
  holders: AccountHolders,
  verify: Verify,
): Promise<readonly Claim[]> {
  if (isResource(delivery)) {
    const verifiedClaims = await verify(claims);
    const agreements = await Promise.all(verifiedClaims.map((claim) => agrees(delivery, claim, holders)));
    return verifiedClaims.filter((_, place) => agreements[place]);
  }
  if (!isWhole) return [];
  if (readAlike(claims)) return holdersOfAccount(delivery, claims, holders, verify);
  if (claims.length > maxClaims) return [];
  const verifiedClaims = await verify(claims);
  return readAlike(verifiedClaims)
    ? holdersOfAccount(delivery, verifiedClaims, holders, verify)
    : takingPart(verifiedClaims);
}

/** Whether all tenants read the account at one place in the body. */
const readAlike = (claims: readonly Claim[]): boolean =>
  claims.every(({ driver }) => namesAccount(driver)) && new Set(claims.map(readingOf)).size === 1;

/** A single tenant must take deliveries now. */
const takingPart = (claims: readonly Claim[]): readonly Claim[] =>
  claims.length === 1 ? claims.filter(({ takesPart }) => takesPart) : claims;

/** Whether the account in the signed body belongs to the resource that the hint names. */
async function agrees(delivery: ArrivedDelivery, claim: Claim, accounts: AccountHolders): Promise<boolean> {
  if (!namesAccount(claim.driver)) return true;
  const account = signedAccount(delivery, claim.driver);
  if (account === undefined) return false;
  if (claim.connectionId !== null) return account === claim.account;
  const [holder] = await accounts.holders(claim.providerKey, account, claim.tenant.uuid);
  return holder?.takesPart ?? false;
}

/** The tenants with the account that the body names, among claims that read it alike. */
async function holdersOfAccount(
  delivery: ArrivedDelivery,
  [first]: readonly Claim[],
  holders: AccountHolders,
  verify: Verify,
): Promise<readonly Claim[]> {
  if (!first) return [];
  // A large body has a hint, so that it is parsed only after a key has verified it.
  const account = delivery.hint?.value ?? signedAccount(delivery, first.driver);
  if (account === undefined) return [];
  const holdingClaims = await holders.holders(first.providerKey, account);
  const alike = holdingClaims.filter((claim) => readingOf(claim) === readingOf(first));
  if (alike.length > maxClaims) return [];
  const verifiedClaims = await verify(alike);
  return verifiedClaims.length > 0 && signedAccount(delivery, first.driver) === account
    ? takingPart(verifiedClaims)
    : [];
}

/** Where and how a driver finds the account in a body. */
const readingOf = ({ driver: { webhook } }: Claim): string =>
  JSON.stringify([webhook?.account, webhook?.batch ?? false, webhook?.events, webhook?.formPayload]);

/** The candidates' claims where their public key has verified the delivery. */
export const claimsOfCandidates = ({ claims }: CandidateSet, candidates: readonly Candidate[]): Claim[] =>
  candidates.map((candidate) => ({
    ...candidate,
    account: claims.find(({ connectionId }) => connectionId === candidate.connectionId)?.account ?? null,
    takesPart: true,
  }));

const maxAccountLength = 255;

/** Whether the driver says where the account stands in the body. A header is not signed, so that it proves no account. */
const namesAccount = ({ webhook }: ProviderDriver): boolean =>
  webhook?.account !== undefined && isInBody(webhook.account);

/** Whether a body may be read in two ways. The header that decides it is not signed. */
const isAmbiguous = ({ message }: ArrivedDelivery): boolean =>
  isForm(message.headers.get("content-type")?.[0]) && /^\s*[[{"]/.test(message.body.toString("latin1", 0, 64));

/** The account that the signed body names; undefined for none, and for events from several accounts. */
function signedAccount(delivery: ArrivedDelivery, { webhook }: ProviderDriver): string | undefined {
  const path = webhook?.account;
  if (path === undefined || isAmbiguous(delivery)) return undefined;
  const body = parsed(delivery, webhook);
  const events = eventsIn(webhook ?? {}, body) ?? [body];
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
