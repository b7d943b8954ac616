import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "./eventually.js";
import { platform } from "./platform.js";
import { request } from "./request.js";

export const goodPassword = "correct horse battery staple";

export interface TestInvitation {
  readonly invitationId: string;
  readonly email: string;
  readonly status: string;
  readonly roleCodes: readonly string[];
  readonly expiresAt: string;
}

export interface TestUser {
  readonly userId: string;
  readonly tenantId: string;
  readonly email: string;
  readonly status: string;
  readonly roleCodes: readonly string[];
}

export const anAddress = (domain = "people.example") => `p${Math.random().toString(36).slice(2)}@${domain}`;

/** The mails that were read, by their files. A mail is complete when its file has its name, and never changes. */
const readMails = new Map<string, string>();

async function mailIn(file: string): Promise<string> {
  const text = readMails.get(file) ?? (await readFile(file, "utf8"));
  readMails.set(file, text);
  return text;
}

/**
 * The newest of the mails that the platform has stored for an address, decoded. Waits until there are `mails` of them.
 */
export async function mailTo(email: string, mails = 1): Promise<string> {
  const folder = join(platform().dataDir, "outbox");
  let matchingMails: string[] = [];
  await eventually(`${mails} mails to ${email}`, async () => {
    const files = (await readdir(folder).catch(() => [])).filter((file) => file.endsWith(".eml")).toSorted();
    const texts = await Promise.all(files.map((file) => mailIn(join(folder, file))));
    matchingMails = texts.filter((text) => text.includes(`To: ${email}\r\n`));
    return matchingMails.length >= mails;
  });
  return (matchingMails.at(-1) ?? "").replaceAll("=\r\n", "").replaceAll("=3D", "=");
}

/** The invitation token in the newest such mail. */
export async function invitationToken(email: string, mails = 1): Promise<string> {
  const [, token] = /(?:Token: |token=)([\w-]{43})/.exec(await mailTo(email, mails)) ?? [];
  if (token === undefined) throw new Error(`The mail to ${email} holds no token`);
  return token;
}

export async function anInvitation(token: string, roleCodes: readonly string[] = ["Viewer"]): Promise<TestInvitation> {
  const body = { email: anAddress(), roleCodes };
  const answer = await request<TestInvitation>("POST /v1/users/invitations", { token, body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

export const acceptInvitation = (token: string, password = goodPassword) =>
  request<TestUser>("POST /v1/users/invitations/accept", { body: { token, password } });

/** Invites a user and accepts the invitation. */
export async function aUser(token: string, roleCodes: readonly string[] = ["Viewer"]): Promise<TestUser> {
  const { email } = await anInvitation(token, roleCodes);
  const answer = await acceptInvitation(await invitationToken(email));
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}
