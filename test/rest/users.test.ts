import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { aFeed } from "../kit/feed.js";
import { refusal } from "../kit/refusal.js";
import { graphql, request } from "../kit/request.js";
import { aPasswordClient, refreshed, signedIn } from "../kit/sign-ins.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";
import {
  acceptInvitation,
  anAddress,
  anInvitation,
  aUser,
  goodPassword,
  invitationToken,
  mailTo,
  type TestInvitation,
  type TestUser,
} from "../kit/users.js";

interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

let tenant: TestTenant;
let token: string;
let stranger: string;

beforeAll(async () => {
  tenant = await aTenant();
  token = await tenant.tokenWith();
  stranger = await (await aTenant()).tokenWith();
});

const users = (query = "", as = token) => request<Page<TestUser>>(`GET /v1/users?${query}`, { token: as });
const move = (userId: string, to: "disable" | "enable", as = token) =>
  request<TestUser>(`POST /v1/users/${userId}/${to}`, { token: as });

describe("the owner of a new tenant", () => {
  it("is invited by mail when the tenant is provisioned, and becomes its first user", async () => {
    const { tenantId, slug } = tenant;
    const email = `owner@${slug}.example`;
    const mail = await mailTo(email);
    expect(mail).toContain(`Subject: You are invited to Tenant ${slug}`);
    expect(mail).toMatch(/Message-ID: <msg_\w{26}@/);
    expect(mail).toContain("Content-Type: text/html");
    const { body, status, headers } = await acceptInvitation(await invitationToken(email));
    expect([status, headers.get("location")]).toEqual([201, `/v1/users/${body.userId}`]);
    expect(body).toMatchObject({ tenantId, email, status: "Active", roleCodes: ["TenantOwner"] });
    expect((await users()).body.items).toEqual([expect.objectContaining({ userId: body.userId })]);
    expect(refusal(await move(body.userId, "disable"))).toBe("409 CONFLICT");
  });
});

describe("an invited person", () => {
  it("signs in with the chosen password, invites others, and loses access when the user is disabled", async () => {
    const host = await aTenant();
    const service = await host.tokenWith();
    const email = `owner@${host.slug}.example`;
    const page = (await mailTo(email)).match(/http:\S+\/connect\/invitation\?token=[\w-]{43}/)?.[0] ?? "";
    expect((await fetch(page)).status).toBe(200);
    const { body: owner } = await acceptInvitation(await invitationToken(email));
    const client = await aPasswordClient(host.tenantId);
    const tokens = await signedIn(client, { email, password: goodPassword });
    expect(tokens.status).toBe(200);
    const other = await aUser(tokens.access_token, ["TenantOwner"]);
    expect((await users("", tokens.access_token)).body.items.map(({ userId }) => userId)).toEqual([
      owner.userId,
      other.userId,
    ]);
    expect(refusal(await move(owner.userId, "disable", tokens.access_token))).toBe("409 CONFLICT");
    expect((await move(owner.userId, "disable", service)).status).toBe(200);
    await eventually(
      "the token of the user is refused",
      async () => (await users("", tokens.access_token)).status === 401,
    );
    expect((await refreshed(client, tokens.refresh_token)).error).toBe("invalid_grant");
    expect((await signedIn(client, { email, password: goodPassword })).error).toBe("invalid_grant");
    expect((await move(owner.userId, "enable", service)).status).toBe(200);
    expect((await signedIn(client, { email, password: goodPassword })).status).toBe(200);
  });
});

describe("POST /v1/users/invitations", () => {
  it("returns the invitation as the specification shows it", async () => {
    const email = anAddress();
    const { status, body } = await request("POST /v1/users/invitations", {
      token,
      body: { email, roleCodes: ["Developer"], displayName: "Grace" },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      invitationId: expect.stringMatching(/^inv_/),
      email,
      displayName: "Grace",
      status: "Pending",
      roleCodes: ["Developer"],
      expiresAt: expect.any(String),
      createdAt: expect.any(String),
    });
  });

  it("refuses an address that is invited or belongs to a user, and roles that the caller does not hold", async () => {
    const post = (body: unknown, as = token) => request("POST /v1/users/invitations", { token: as, body });
    const { email } = await anInvitation(token);
    expect(refusal(await post({ email, roleCodes: ["Viewer"] }))).toBe("409 INVITATION_PENDING");
    const user = await aUser(token);
    expect(refusal(await post({ email: user.email.toUpperCase(), roleCodes: ["Viewer"] }))).toBe("409 USER_EXISTS");
    expect(refusal(await post({ email: anAddress(), roleCodes: ["Lord"] }))).toBe("422 REFERENCE_NOT_FOUND");
    const inviter = await tenant.tokenWith("user.invite");
    expect(refusal(await post({ email: anAddress(), roleCodes: ["Viewer"] }, inviter))).toBe("403 INSUFFICIENT_SCOPE");
  });
});

describe("the life of an invitation", () => {
  it("ends when a new link is sent, when it is revoked, and after seven days", async () => {
    const feed = await aFeed<{ events: { type: string; data: { invitationId?: string } } }>({
      token,
      query:
        'subscription { events(types: ["InvitationResent", "InvitationRevoked", "InvitationExpired"]) { type data } }',
    });
    const eventArrived =
      (type: string, { invitationId }: TestInvitation) =>
      () =>
        feed.events.some(({ events }) => events.type === type && events.data.invitationId === invitationId);
    const change = (invitation: TestInvitation, to: string, as = token) =>
      request<TestInvitation>(`POST /v1/users/invitations/${invitation.invitationId}/${to}`, { token: as });

    const resent = await anInvitation(token);
    const old = await invitationToken(resent.email);
    expect((await change(resent, "resend")).body).toMatchObject({ status: "Pending" });
    const newToken = await invitationToken(resent.email, 2);
    expect(refusal(await acceptInvitation(old))).toBe("404 NOT_FOUND");
    expect((await acceptInvitation(newToken)).status).toBe(201);
    expect(refusal(await acceptInvitation(newToken))).toBe("409 INVALID_STATE");
    await eventually("the event of the resending arrives", eventArrived("InvitationResent", resent));

    const revokedInvitation = await anInvitation(token);
    const dead = await invitationToken(revokedInvitation.email);
    for (const to of ["resend", "revoke"])
      expect(refusal(await change(revokedInvitation, to, stranger))).toBe("404 NOT_FOUND");
    expect((await change(revokedInvitation, "revoke")).body).toMatchObject({ status: "Revoked" });
    expect(refusal(await change(revokedInvitation, "revoke"))).toBe("409 INVALID_STATE");
    expect(refusal(await acceptInvitation(dead))).toBe("409 INVALID_STATE");
    await eventually("the event of the revocation arrives", eventArrived("InvitationRevoked", revokedInvitation));

    const expiredInvitation = await anInvitation(token);
    const late = await invitationToken(expiredInvitation.email);
    const id = decodeId("inv", expiredInvitation.invitationId);
    await rows("update spine.invitations set expires_at = now() where invitation_id = $1", [id]);
    expect(refusal(await acceptInvitation(late))).toBe("410 INVITATION_EXPIRED");
    const invitationPage = await request<Page<TestInvitation>>("GET /v1/users/invitations?status=Expired", { token });
    expect(invitationPage.body.items.map(({ invitationId }) => invitationId)).toContain(expiredInvitation.invitationId);
    await rows(
      "update spine_jobs.job set start_after = now() where name = 'expire-invitation' and data->>'invitationId' = $1",
      [expiredInvitation.invitationId],
    );
    await eventually("the event of the expiry arrives", eventArrived("InvitationExpired", expiredInvitation));
    await feed.stop();
  });

  it("creates one user when many requests accept it at the same time", async () => {
    const { email } = await anInvitation(token);
    const secret = await invitationToken(email);
    const answers = await Promise.all(Array.from({ length: 8 }, () => acceptInvitation(secret)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.filter(({ status }) => status !== 201).map(refusal))).toEqual(
      new Set(["409 INVALID_STATE"]),
    );
  });

  it("refuses a common password", async () => {
    const { email } = await anInvitation(token);
    const answer = await acceptInvitation(await invitationToken(email), "Password1");
    expect(refusal(answer)).toBe("422 PASSWORD_REFUSED");
    expect(answer.body).toMatchObject({ errors: [{ pointer: "/password" }] });
  });
});

describe("GET /v1/users", () => {
  it("finds users by address, role, state and the beginning of a name, in pages", async () => {
    const other = await aTenant();
    const ownToken = await other.tokenWith();
    const createdUsers: TestUser[] = [];
    for (const roles of [["Viewer"], ["Developer"], ["Viewer", "Developer"]])
      createdUsers.push(await aUser(ownToken, roles));
    const [first, second, third] = createdUsers.map(({ userId }) => userId);
    const userIdsBy = async (query: string) => (await users(query, ownToken)).body.items.map(({ userId }) => userId);
    expect(await userIdsBy("")).toEqual([first, second, third]);
    expect(await userIdsBy("roleCode=developer")).toEqual([second, third]);
    expect(await userIdsBy(`email=${createdUsers[1]?.email.toUpperCase()}`)).toEqual([second]);
    expect(await userIdsBy(`q=${createdUsers[2]?.email.slice(0, 9)}`)).toEqual([third]);
    expect(await userIdsBy("q=nobody")).toEqual([]);
    await move(first ?? "", "disable", ownToken);
    expect(await userIdsBy("status=Disabled")).toEqual([first]);
    expect(await userIdsBy("status=Active&roleCode=Viewer")).toEqual([third]);
    const page = await users("limit=2", ownToken);
    expect(page.body.items.map(({ userId }) => userId)).toEqual([first, second]);
    expect(page.headers.get("link")).toContain('rel="next"');
    const rest = await users(`limit=2&cursor=${page.body.nextCursor}`, ownToken);
    expect(rest.body).toMatchObject({ items: [{ userId: third, tenantId: other.tenantId }], nextCursor: null });
    expect(refusal(await users(`limit=2&status=Active&cursor=${page.body.nextCursor}`, ownToken))).toBe(
      "400 INVALID_CURSOR",
    );
    expect(refusal(await users("status=Gone", ownToken))).toBe("422 PARAMETERS_INVALID");
  });
});

describe("POST /v1/users/{userId}/disable", () => {
  it("and enable change the state of a user, each once", async () => {
    const { userId } = await aUser(token);
    expect((await move(userId, "disable")).body).toMatchObject({ userId, status: "Disabled" });
    expect(refusal(await move(userId, "disable"))).toBe("409 INVALID_STATE");
    expect((await move(userId, "enable")).body).toMatchObject({ userId, status: "Active" });
  });

  it("is not allowed for a caller with fewer scopes than the user", async () => {
    const { userId } = await aUser(token, ["Developer"]);
    expect(refusal(await move(userId, "disable", await tenant.tokenWith("user.invite")))).toBe(
      "403 INSUFFICIENT_SCOPE",
    );
  });
});

describe("Mutation.deleteUser", () => {
  it("erases the data of the user", async () => {
    const user = await aUser(token);
    const query = `mutation { deleteUser(userId: "${user.userId}") { status email displayName roleCodes } }`;
    const { body } = await graphql<Record<string, unknown>>(query, { token });
    expect(body.data).toEqual({
      deleteUser: {
        status: "Deleted",
        email: `${user.userId}@deleted.invalid`,
        displayName: null,
        roleCodes: [],
      },
    });
    const remainingRows = await rows("select from spine.users where $1 in (email, email_key, verified_email_key)", [
      user.email,
    ]);
    expect(remainingRows).toEqual([]);
    expect((await users(`email=${user.email}`)).body.items).toEqual([]);
    // the address can be invited again
    const again = await request("POST /v1/users/invitations", {
      token,
      body: { email: user.email, roleCodes: ["Viewer"] },
    });
    expect(again.status).toBe(201);
  });
});
