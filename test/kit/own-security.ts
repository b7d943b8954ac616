import { createHmac } from "node:crypto";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { Browser, type Visit } from "./browser.js";
import { aSignInClient, authorizeUrl, signInAs } from "./code-flow.js";
import { rows } from "./database.js";
import { eventually } from "./eventually.js";
import { anOwnersToken } from "./own-sessions.js";
import { aPerson, type Person } from "./people.js";
import { platform } from "./platform.js";
import { graphql, request } from "./request.js";
import type { TestTenant } from "./tenants.js";
import { invitationToken } from "./users.js";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The code that an authenticator app shows for this key (RFC 6238), computed without a library. */
export function totpCode(key: string, nowMs = Date.now()): string {
  const bits = Array.from(key, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const bytes = bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [];
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(nowMs / 30_000)));
  const digest = createHmac("sha1", Buffer.from(bytes)).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

/** The key that a page shows beside its QR code. */
const keyOn = ({ text }: Visit): string => (/<code>([A-Z2-7 ]{39})<\/code>/.exec(text)?.[1] ?? "").replaceAll(" ", "");

/** Opens the page for the person's own security. Without an authenticator app. */
export async function ownSecurityPage(person: Person): Promise<{ browser: Browser; page: Visit }> {
  const home = platform().publicUrl;
  const browser = new Browser(home);
  const page = await signInAs(browser, await browser.open(`${home}/connect/security`), person);
  if (!page.text.includes("<h1>Your security</h1>")) throw new Error(page.text);
  return { browser, page };
}

/** An authenticator app that was set up, its recovery codes, and the page that shows them. */
interface NewAuthenticator {
  readonly key: string;
  readonly codes: readonly string[];
  readonly shown: Visit;
}

/** Sets up an authenticator app on the page for the person's own security. */
export async function addAuthenticator(browser: Browser): Promise<NewAuthenticator> {
  return confirmAuthenticator(browser, await browser.open(`${platform().publicUrl}/connect/security?add=Totp`));
}

/** Sets up the authenticator app that a page shows, and ends at the page with the recovery codes. */
export async function confirmAuthenticator(browser: Browser, form: Visit): Promise<NewAuthenticator> {
  const key = keyOn(form);
  const codesPage = await browser.submit(form, { factor: "Totp", code: totpCode(key), action: "continue" });
  if (!codesPage.text.includes("Save your recovery codes")) throw new Error(codesPage.text);
  return {
    shown: codesPage,
    key,
    codes: [...codesPage.text.matchAll(/<li><code>([\w-]+)<\/code><\/li>/g)].map(([, code]) => code ?? ""),
  };
}

/** The token in the mail that resets a person's password. By default the only mail before it is the invitation. */
export async function resetToken({ email }: Person, mailsBefore = 1): Promise<string> {
  await graphql("mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) { status } }", {
    variables: { input: { email } },
  });
  return invitationToken(email, mailsBefore + 1);
}

/** Stores so many wrong codes, as if the user had entered them. */
export async function storeWrongCodes(userId: string, count: number): Promise<void> {
  await rows(
    `insert into spine.factor_locks (tenant_id, user_id, failures, locked_at)
     select tenant_id, user_id, $2::int, case when $2::int >= 20 then now() end from spine.users where user_id = $1
     on conflict (tenant_id, user_id) do update set failures = excluded.failures, locked_at = excluded.locked_at`,
    [decodeId("usr", userId), count],
  );
}

/** The person enters one wrong code too many, and an administrator unlocks the codes. */
async function lockAndUnlock(tenant: TestTenant, person: Person): Promise<void> {
  await storeWrongCodes(person.userId, 19);
  const client = await aSignInClient(tenant.tenantId, { firstParty: true, scopes: ["templates.read"] });
  const browser = new Browser(platform().publicUrl);
  const page = await signInAs(browser, await browser.open(authorizeUrl(client)), person);
  const { status } = await browser.submit(page, { factor: "Totp", code: "wrong!", action: "continue" });
  if (status !== 403) throw new Error(`The codes are not locked, but the answer is ${status}`);
  const at = `POST /v1/users/${person.userId}/second-factors/unlock`;
  const answer = await request(at, { token: await anOwnersToken(tenant) });
  if (answer.status !== 200) throw new Error(answer.text);
}

/** Causes the events about people who change their own password, factors and sessions. */
export async function changeOwnSecurity(tenant: TestTenant): Promise<void> {
  const person = await aPerson(tenant);
  const { browser } = await ownSecurityPage(person);
  await ownSecurityPage(person);
  await addAuthenticator(browser);
  await lockAndUnlock(tenant, person);
  const submit = async (fields: Record<string, string>) =>
    browser.submit(await browser.open(`${platform().publicUrl}/connect/security`), fields);
  await submit({ action: "end-other-sessions" });
  const { text } = await browser.open(`${platform().publicUrl}/connect/security`);
  const [, factorId = ""] = /name="factorId" value="(fac_\w+)"/.exec(text) ?? [];
  await submit({ action: "remove-factor", factorId });
  // the invitation, and the mails about the authenticator app and the lock
  const token = await resetToken(person, 5);
  const input = { token, password: "another horse battery" };
  await eventually("the password is reset", async () => {
    const { body } = await graphql(
      "mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) { status } }",
      { variables: { input } },
    );
    return !body.errors;
  });
}
