import { aVendor, type Vendor } from "../kit/vendor.js";

describe("the vendor of the tests", () => {
  let vendor: Vendor;
  beforeAll(async () => {
    vendor = await aVendor();
  });
  afterAll(() => vendor.close());

  const call = async (authorization: string) =>
    (await fetch(`${vendor.baseUrl}/me`, { headers: { authorization } })).status;
  const token = async ({ clientId, clientSecret } = vendor.oauth.basic) => {
    const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
    const body = new URLSearchParams({ grant_type: "client_credentials", scope: "api" });
    const answer = await fetch(vendor.oauth.tokenUrl, { method: "POST", headers: { authorization }, body });
    return ((await answer.json()) as { access_token?: string }).access_token ?? `refused ${answer.status}`;
  };

  it("accepts keys and tokens, refuses others, and counts", async () => {
    vendor.accepted.add("key-1");
    expect(await call("Bearer key-1")).toBe(200);
    expect(await call("Bearer key-2")).toBe(401);
    expect(await call(`Bearer ${await token()}`)).toBe(200);
    const former = vendor.oauth.basic;
    const newSecret = vendor.oauth.changeSecret(former);
    expect(await token(former)).toBe("refused 401");
    expect(await call(`Bearer ${await token(newSecret)}`)).toBe(200);
    expect(Object.fromEntries(vendor.oauth.grants)).toMatchObject({ client_credentials: 2 });
    expect(vendor.calls).toHaveLength(4);
  });

  it("fails on demand", async () => {
    vendor.behave({ status: 429, headers: { "retry-after": "1" } }, 1);
    expect(await call("Bearer key-1")).toBe(429);
    expect(await call("Bearer key-1")).toBe(200);
    vendor.behave("resets", 1);
    await expect(call("Bearer key-1")).rejects.toThrow();
    vendor.behaveAtTokens({ status: 500 }, 1);
    await expect(token()).rejects.toThrow();
  });
});
