import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { tenantScopes } from "@factory/schema/scopes";
import { type Json, principal, RunningSpine, until } from "../../running-spine.fixture.js";

let platform: RunningSpine;
let outbox: string;
let tenantId: string;

beforeAll(async () => {
  outbox = await mkdtemp(join(tmpdir(), "outbox-"));
  platform = await RunningSpine.start({ mail: { outbox } });
  tenantId = await platform.activeTenant("acme");
});
afterAll(async () => {
  await platform?.stop();
  await rm(outbox, { recursive: true, force: true });
});

const fields = "invitationId email displayName status roleCodes userId expiresAt createdAt";
const invite = `mutation ($input: InviteUserInput!) { inviteUser(input: $input) { ${fields} } }`;
const resend = `mutation ($id: ID!) { resendInvitation(invitationId: $id) { ${fields} } }`;
const revoke = `mutation ($id: ID!) { revokeInvitation(invitationId: $id) { ${fields} } }`;
const list = `query ($first: Int, $after: String, $filter: InvitationFilterInput) {
  invitations(first: $first, after: $after, filter: $filter) { items { ${fields} } nextCursor } }`;
const accept = `mutation ($input: AcceptInvitationInput!) {
  acceptInvitation(input: $input) { userId tenantId email displayName status roleCodes lastLoginAt createdAt } }`;

const owner = (of = tenantId) => principal(of, tenantScopes);
const password = "correct horse battery";

let count = 0;
const anAddress = () => `person-${(count += 1)}@acme.example`;

async function invited(input: Record<string, unknown> = {}, by = owner()): Promise<Record<string, Json>> {
  const answer = await platform.ask(by, invite, { input: { email: anAddress(), roleCodes: ["Viewer"], ...input } });
  if (!answer.data) throw new Error(JSON.stringify(answer.errors));
  return answer.data["inviteUser"];
}

/** The token in the newest among `count` mails to the address. */
async function mailTo(email: string, mails = 1): Promise<string> {
  let mailsFound: string[] = [];
  await until(async () => {
    const files = (await readdir(outbox)).filter((file) => file.endsWith(".eml")).sort();
    const texts = await Promise.all(files.map((file) => readFile(join(outbox, file), "utf8")));
    mailsFound = texts.filter((text) => text.includes(`To: ${email}`));
    return mailsFound.length >= mails;
  });
  return mailsFound.at(-1) ?? "";
}

/** Undoes quoted-printable. */
const tokenIn = (mail: string) =>
  /token=([\w-]{43})/.exec(mail.replaceAll("=\r\n", "").replaceAll("=3D", "="))?.[1] ?? "";

const tokenFor = async (email: string, mails?: number) => tokenIn(await mailTo(email, mails));

const acceptWith = (token: string, more: Record<string, unknown> = {}) =>
  platform.ask(undefined, accept, { input: { token, password, ...more } });

const setExpired = (invitationId: string) =>
  platform.admin.query("update invitations set expires_at = now() - interval '1 second' where invitation_id = $1", [
    decodeId("inv", invitationId),
  ]);

const eventsAbout = async (subject: string, of = tenantId) =>
  (await platform.eventsOf(of)).filter((event) => event.subject === subject).map(({ type }) => type);

describe("provisioning", () => {
  it("invites the owner named at the registration of the tenant, once", async () => {
    const newTenant = await platform.activeTenant("owned");
    const { data } = await platform.ask(owner(newTenant), list);
    const [invitation, ...more]: Json[] = data?.["invitations"].items ?? [];
    expect(more).toEqual([]);
    expect(invitation).toMatchObject({ email: "owner@example.com", status: "Pending", roleCodes: ["TenantOwner"] });
    const rows = await platform.admin.query(
      "select owner_invitation_id, provisioned_steps from tenants where slug = 'owned'",
    );
    expect(rows.rows).toEqual([
      {
        owner_invitation_id: decodeId("inv", invitation.invitationId),
        provisioned_steps: [
          "createPlanSubscription",
          "seedSystemRoles",
          "inviteOwner",
          "seedReportDefinitions",
          "startTrial",
        ],
      },
    ]);
  });
});

describe("Mutation.inviteUser", () => {
  it("creates a Pending invitation for seven days, and sends its link only to the address", async () => {
    const invitation = await invited({ roleCodes: ["viewer", "Developer"], displayName: "Ada" });
    expect(invitation).toEqual({
      invitationId: expect.stringMatching(/^inv_/),
      email: expect.stringContaining("@acme.example"),
      displayName: "Ada",
      status: "Pending",
      roleCodes: expect.arrayContaining(["Viewer", "Developer"]),
      userId: null,
      expiresAt: expect.any(String),
      createdAt: expect.any(String),
    });
    const days = (Date.parse(invitation["expiresAt"]) - Date.parse(invitation["createdAt"])) / 86_400_000;
    expect(days).toBe(7);
    const token = await tokenFor(invitation["email"]);
    expect(token).toMatch(/^[\w-]{43}$/);
    const storedResults = await platform.admin.query(
      `select to_jsonb(i) as row from invitations i union all select to_jsonb(j) from spine_jobs.job j
       union all select envelope::jsonb from outbox union all select to_jsonb(r) from idempotency_records r`,
    );
    expect(JSON.stringify(storedResults.rows)).not.toContain(token);
    const { rows } = await platform.admin.query("select envelope::text from outbox");
    expect(JSON.stringify(rows)).not.toContain(invitation["email"]);
    const jobs = await platform.admin.query("select data::text from spine_jobs.job");
    expect(JSON.stringify(jobs.rows)).not.toContain(invitation["email"]);
  });

  it("writes mail files that only the owner of the process can read", async () => {
    const { email } = await invited({ displayName: null });
    await mailTo(email);
    for (const file of await readdir(outbox)) expect((await stat(join(outbox, file))).mode & 0o777).toBe(0o600);
  });

  it("invites an address once, ignoring case", async () => {
    const { email, invitationId } = await invited();
    const again = await platform.ask(owner(), invite, { input: { email: email.toUpperCase(), roleCodes: ["Viewer"] } });
    expect(again.refusal).toMatchObject({ code: "INVITATION_PENDING", status: 409, invitationId });
    await setExpired(invitationId);
    expect((await invited({ email }))["status"]).toBe("Pending");
    expect(await eventsAbout(`invitations/${invitationId}`)).toEqual(["UserInvited", "InvitationExpired"]);
  });

  it("creates one invitation for two parallel requests", async () => {
    const input = { email: anAddress(), roleCodes: ["Viewer"] };
    const answers = await Promise.all([1, 2, 3].map(() => platform.ask(owner(), invite, { input })));
    expect(answers.filter(({ refusal }) => refusal === undefined)).toHaveLength(1);
    expect(answers.filter(({ refusal }) => refusal?.["code"] === "INVITATION_PENDING")).toHaveLength(2);
  });

  it.each([
    [{ roleCodes: ["Nobody"] }, "REFERENCE_NOT_FOUND", "/input/roleCodes/0"],
    [{ roleCodes: ["Viewer", "viewer"] }, "VALIDATION_FAILED", "/input/roleCodes/1"],
    [{ roleCodes: [] }, "VALIDATION_FAILED", "/input/roleCodes"],
    [{ email: "nobody" }, "VALIDATION_FAILED", "/input/email"],
    [{ email: "a@b.example\r\nBcc: c@d.example" }, "VALIDATION_FAILED", "/input/email"],
    [{ displayName: " " }, "VALIDATION_FAILED", "/input/displayName"],
  ])("refuses %j", async (change, code, pointer) => {
    const input = { email: anAddress(), roleCodes: ["Viewer"], ...change };
    const { refusal } = await platform.ask(owner(), invite, { input });
    expect(refusal).toMatchObject({ code, errors: [{ pointer }] });
  });

  it("refuses a role with a scope that the caller lacks", async () => {
    const inviter = principal(tenantId, ["user.invite", "user.read"]);
    const input = { email: anAddress(), roleCodes: ["TenantOwner"] };
    expect((await platform.ask(inviter, invite, { input })).refusal).toMatchObject({ code: "INSUFFICIENT_SCOPE" });
  });

  it("allows one hundred open invitations and no more", async () => {
    const crowdedTenant = await platform.activeTenant("crowded");
    await platform.admin.query(
      `insert into invitations (tenant_id, invitation_id, email, email_key, role_codes, status, token_nonce, token_digest,
         invited_by, inviters, expires_at, created_at, updated_at)
       select $1, gen_random_uuid(), n || '@x.example', n || '@x.example', '{Viewer}', 'Pending', '', 'digest ' || n,
         'cli_test', '{cli_test}', now() + interval '1 day', now(), now() from generate_series(1, 98) n`,
      [decodeId("ten", crowdedTenant)],
    );
    await invited({}, owner(crowdedTenant));
    const input = { email: anAddress(), roleCodes: ["Viewer"] };
    const { refusal } = await platform.ask(owner(crowdedTenant), invite, { input });
    expect(refusal).toMatchObject({ code: "CONFLICT", status: 409, limit: 100 });
  });
});

describe("Mutation.acceptInvitation", () => {
  it("creates the user with the invited roles, without an access token", async () => {
    const { invitationId, email } = await invited({ roleCodes: ["Developer", "Viewer"], displayName: "Ada" });
    const { data, errors } = await acceptWith(await tokenFor(email));
    expect(errors).toEqual([]);
    const user = data?.["acceptInvitation"];
    expect(user).toEqual({
      userId: expect.stringMatching(/^usr_/),
      tenantId,
      email,
      displayName: "Ada",
      status: "Active",
      roleCodes: ["Developer", "Viewer"],
      lastLoginAt: null,
      createdAt: expect.any(String),
    });
    expect(await eventsAbout(`invitations/${invitationId}`)).toEqual(["UserInvited", "InvitationAccepted"]);
    const registration = (await platform.eventsOf(tenantId)).find(({ subject }) => subject === `users/${user.userId}`);
    expect(registration).toMatchObject({ type: "UserRegistered", actorid: user.userId, data: { invitationId } });
    const { rows } = await platform.admin.query("select password_hash from users where email = $1", [email]);
    expect(rows[0].password_hash).toMatch(/^\$argon2id\$/);
    const again = await platform.ask(owner(), invite, { input: { email, roleCodes: ["Viewer"] } });
    expect(again.refusal).toMatchObject({ code: "USER_EXISTS", status: 409 });
  });

  it("creates one user for two parallel requests, and none later", async () => {
    const { email } = await invited();
    const token = await tokenFor(email);
    const answers = await Promise.all([acceptWith(token), acceptWith(token), acceptWith(token)]);
    expect(answers.filter(({ refusal }) => refusal === undefined)).toHaveLength(1);
    expect((await acceptWith(token)).refusal).toMatchObject({ code: "INVALID_STATE", currentState: "Accepted" });
    const { rows } = await platform.admin.query("select from users where email = $1", [email]);
    expect(rows).toHaveLength(1);
  });

  it("refuses an unknown token", async () => {
    for (const token of ["x", "A".repeat(43), newId("inv")])
      expect((await acceptWith(token)).refusal).toMatchObject({ code: "NOT_FOUND", status: 404 });
  });

  it("refuses common and short passwords", async () => {
    const { email } = await invited();
    const token = await tokenFor(email);
    for (const weak of ["password1", "PASSWORD", "12345678", email.toUpperCase(), "aaaaaaaaaa"])
      expect((await acceptWith(token, { password: weak })).refusal).toMatchObject({
        code: "PASSWORD_REFUSED",
        status: 422,
        errors: [{ pointer: "/input/password" }],
      });
    for (const wrong of ["short", "x".repeat(129)])
      expect((await acceptWith(token, { password: wrong })).refusal).toMatchObject({ code: "VALIDATION_FAILED" });
    expect((await acceptWith(token)).data).not.toBeNull();
  });

  it("skips roles that were deleted since", async () => {
    const { email } = await invited({ roleCodes: ["Publisher", "Viewer"] });
    await platform.admin.query("delete from roles where code = 'Publisher' and tenant_id = $1", [
      decodeId("ten", tenantId),
    ]);
    const { data } = await acceptWith(await tokenFor(email));
    expect(data?.["acceptInvitation"].roleCodes).toEqual(["Viewer"]);
  });

  it("assigns no role that was created since with the code of a deleted one", async () => {
    const role = (scopes: readonly string[]) =>
      platform.ask(owner(), `mutation ($input: CreateRoleInput!) { createRole(input: $input) { roleId } }`, {
        input: { code: "Temporary", name: "Temporary", scopes },
      });
    const { data } = await role(["user.read"]);
    const { email } = await invited({ roleCodes: ["Temporary", "Viewer"] });
    await platform.ask(owner(), `mutation { deleteRole(roleId: "${data?.["createRole"].roleId}") { code } }`);
    expect((await role(["user.read", "user.invite"])).errors).toEqual([]);
    const acceptance = await acceptWith(await tokenFor(email));
    expect(acceptance.data?.["acceptInvitation"].roleCodes).toEqual(["Viewer"]);
  });

  it("answers 410 after the expiry, before and after the job has run", async () => {
    const { email, invitationId } = await invited();
    const token = await tokenFor(email);
    await setExpired(invitationId);
    expect((await acceptWith(token)).refusal).toMatchObject({ code: "INVITATION_EXPIRED", status: 410 });
    const idsWithStatus = async (status: string) =>
      (await platform.ask(owner(), list, { filter: { status }, first: 200 })).data?.["invitations"].items.map(
        (item: { invitationId: string }) => item.invitationId,
      );
    expect(await idsWithStatus("Expired")).toContain(invitationId);
    expect(await idsWithStatus("Pending")).not.toContain(invitationId);
    await platform.admin.query(
      "update spine_jobs.job set start_after = now() where name = 'expire-invitation' and data->>'invitationId' = $1",
      [invitationId],
    );
    await until(async () => (await eventsAbout(`invitations/${invitationId}`)).includes("InvitationExpired"));
    expect((await acceptWith(token)).refusal).toMatchObject({ code: "INVITATION_EXPIRED" });
  });
});

describe("Mutation.resendInvitation", () => {
  it("sends a new link and invalidates the former one", async () => {
    const { email, invitationId } = await invited();
    const old = await tokenFor(email);
    await setExpired(invitationId);
    const { data } = await platform.ask(owner(), resend, { id: invitationId });
    expect(data?.["resendInvitation"]).toMatchObject({ status: "Pending", invitationId });
    expect(Date.parse(data?.["resendInvitation"].expiresAt)).toBeGreaterThan(Date.now() + 6 * 86_400_000);
    const token = await tokenFor(email, 2);
    expect(token).not.toBe(old);
    expect((await acceptWith(old)).refusal).toMatchObject({ code: "NOT_FOUND" });
    expect((await acceptWith(token)).data).not.toBeNull();
    const again = await platform.ask(owner(), resend, { id: invitationId });
    expect(again.refusal).toMatchObject({ code: "INVALID_STATE", currentState: "Accepted" });
  });

  it("floods no address: after five mails in an hour it waits, also for a new invitation", async () => {
    const { email, invitationId } = await invited();
    for (let time = 0; time < 4; time += 1)
      expect((await platform.ask(owner(), resend, { id: invitationId })).errors).toEqual([]);
    const { refusal } = await platform.ask(owner(), resend, { id: invitationId });
    expect(refusal).toMatchObject({ code: "RATE_LIMITED", retryAfterSeconds: expect.any(Number) });
    await platform.ask(owner(), revoke, { id: invitationId });
    const input = { email: email.toUpperCase(), roleCodes: ["Viewer"] };
    expect((await platform.ask(owner(), invite, { input })).refusal).toMatchObject({ code: "RATE_LIMITED" });
    expect((await platform.ask(owner(), invite, { input: { ...input, email: anAddress() } })).errors).toEqual([]);
    await platform.admin.query("update mails set created_at = created_at - interval '1 hour'");
    expect((await platform.ask(owner(), invite, { input })).errors).toEqual([]);
  });

  it("refuses an invitation to roles that the caller could not give", async () => {
    const { invitationId } = await invited({ roleCodes: ["TenantOwner"] });
    const inviter = principal(tenantId, ["user.invite"]);
    expect((await platform.ask(inviter, resend, { id: invitationId })).refusal).toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });
  });
});

describe("Mutation.revokeInvitation", () => {
  it("invalidates the link permanently", async () => {
    const { email, invitationId } = await invited();
    const token = await tokenFor(email);
    const { data } = await platform.ask(owner(), revoke, { id: invitationId });
    expect(data?.["revokeInvitation"].status).toBe("Revoked");
    expect((await acceptWith(token)).refusal).toMatchObject({ code: "INVALID_STATE", currentState: "Revoked" });
    for (const move of [revoke, resend])
      expect((await platform.ask(owner(), move, { id: invitationId })).refusal).toMatchObject({
        code: "INVALID_STATE",
        currentState: "Revoked",
      });
    expect(await eventsAbout(`invitations/${invitationId}`)).toEqual(["UserInvited", "InvitationRevoked"]);
  });
});

describe("invitations", () => {
  it("are listed page by page, oldest first", async () => {
    const pagedTenant = await platform.activeTenant("paged");
    const invitationIds = [];
    for (let place = 0; place < 4; place += 1)
      invitationIds.push((await invited({}, owner(pagedTenant)))["invitationId"]);
    const listedIds: string[] = [];
    let after: string | null = null;
    do {
      const answer: Json = (await platform.ask(owner(pagedTenant), list, { first: 2, after })).data?.["invitations"];
      listedIds.push(...answer.items.map((item: { invitationId: string }) => item.invitationId));
      after = answer.nextCursor;
    } while (after !== null);
    expect(listedIds.slice(1)).toEqual(invitationIds);
  });
});

describe("the address of a deleted user", () => {
  it("leaves the results that are stored for repeated requests", async () => {
    const input = { email: "A.Name+tag@acme.example", displayName: "Ada Lovelace", roleCodes: ["Viewer"] };
    const other = { ...input, email: "other.A.Name+tag@acme.example" };
    const first = await platform.ask(owner(), invite, { input }, "erased");
    await platform.ask(owner(), invite, { input: other }, "kept");
    const { data } = await acceptWith(await tokenFor(input.email));
    const { userId } = data?.["acceptInvitation"] ?? {};
    const document = `mutation { disableUser(userId: "${userId}") { email displayName } }`;
    await platform.ask(owner(), document, {}, "disabled");
    const deletion = await platform.ask(
      owner(),
      `mutation { deleteUser(userId: "${userId}") { email } }`,
      {},
      "deleted",
    );
    expect(deletion.errors).toEqual([]);
    const { rows } = await platform.admin.query("select result::text as result from idempotency_records");
    const storedResults = rows.map(({ result }) => String(result)).join("\n");
    expect(storedResults).not.toMatch(/"a\.name\+tag@acme\.example"/i);
    expect(storedResults).toContain(other.email);
    const again = await platform.ask(owner(), invite, { input }, "erased");
    expect(again.replayed).toBe(true);
    expect(again.data?.["inviteUser"]).toEqual({
      ...first.data?.["inviteUser"],
      email: `${userId}@deleted.invalid`,
      displayName: null,
    });
  });
});
