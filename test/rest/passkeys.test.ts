import type { PlatformProcess } from "@factory/platform/client/platform-process";
import { choosePort } from "@factory/platform/settings/free-port";
import { decodeJwt } from "jose";
import type { Browser } from "puppeteer-core";
import { BrowserTab, chromiumPath, startChromium } from "../kit/chromium.js";
import { aSignInClient, authorizeUrl, callback, redeem, type SignInClient } from "../kit/code-flow.js";
import { aPerson, type Person } from "../kit/people.js";
import { PlatformHome } from "../kit/platform-home.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";
import { mailTo } from "../kit/users.js";

const describeWithChromium = chromiumPath === undefined ? describe.skip : describe;

describeWithChromium("passkeys in Chromium, with a virtual authenticator", () => {
  let platformHome: PlatformHome;
  let platform: PlatformProcess | undefined;
  let browser: Browser | undefined;
  let home: string;
  let tenant: TestTenant;
  let client: SignInClient;

  // browsers offer no passkeys on an IP address, so this suite starts its own platform
  beforeAll(async () => {
    const port = await choosePort(0, "127.0.0.1");
    home = `http://localhost:${port}`;
    platformHome = await PlatformHome.open();
    platform = await platformHome.start({ PORT: String(port), PUBLIC_URL: home, RATE_LIMIT_FACTOR: "1000" });
    platformHome.use(platform);
    tenant = await aTenant();
    client = await aSignInClient(tenant.tenantId, { scopes: ["templates.read"], firstParty: true });
    browser = await startChromium();
  });

  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
    await platformHome.close();
  });

  async function aTab(): Promise<BrowserTab> {
    if (!browser) throw new Error("Chromium was not started");
    return BrowserTab.open(browser, home);
  }

  async function enterPassword(tab: BrowserTab, { email, password }: Person): Promise<void> {
    await tab.fill({ username: email, password });
    await tab.press("Sign in");
  }

  /** A person who has added a passkey on the page for their own security. */
  async function anOwner(tab: BrowserTab, name = "Laptop"): Promise<Person> {
    const person = await aPerson(tenant);
    await tab.page.goto(`${home}/connect/security`);
    await enterPassword(tab, person);
    await tab.press("Add a passkey");
    await tab.fill({ passkeyName: name });
    await tab.press("Create a passkey");
    expect(await tab.text()).toContain("Save your recovery codes");
    await tab.press("Continue");
    return person;
  }

  /** Claims in the access token that the application gets for the code in the tab's address. */
  async function claimsAt(tab: BrowserTab): Promise<Record<string, unknown>> {
    const address = tab.page.url();
    expect(address.startsWith(`${callback}?`)).toBe(true);
    const { body } = await redeem(client, new URL(address).searchParams.get("code") ?? "");
    return decodeJwt(String(body["access_token"]));
  }

  it("adds a passkey that tells nothing about the person, and lists it with its name", async () => {
    const tab = await aTab();
    const { email } = await anOwner(tab, "Laptop of the office");
    expect(await tab.text()).toContain("Laptop of the office");
    expect(await mailTo(email, 2)).toMatch(
      /^Subject: A passkey was added .*A passkey was added for your account at /ms,
    );
    const [credential, ...others] = await tab.credentials();
    expect(others).toEqual([]);
    expect(credential).toMatchObject({ isResidentCredential: true });
    const handle = Buffer.from(credential?.userHandle ?? "", "base64");
    expect(handle).toHaveLength(32);
    expect(handle.toString("latin1")).not.toContain(email.slice(0, 5));
    // the person has added the passkey, and not yet signed in with it
    await tab.page.goto(authorizeUrl(client));
    expect(await claimsAt(tab)).toMatchObject({ acr: "urn:factory:acr:second-factor", amr: ["pwd", "user", "mfa"] });
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });

  describe("of one person", () => {
    let tab: BrowserTab;
    let person: Person;

    beforeAll(async () => {
      tab = await aTab();
      person = await anOwner(tab);
    });
    afterAll(() => tab.close());

    it("signs in with the passkey after the password", async () => {
      await tab.forgetCookies();
      await tab.page.goto(authorizeUrl(client));
      await enterPassword(tab, person);
      await tab.press("Use a passkey");
      expect(await claimsAt(tab)).toMatchObject({
        sub: person.userId,
        amr: ["pwd", "hwk", "user", "mfa"],
        acr: "urn:factory:acr:phishing-resistant",
      });
      expect(tab.complaints).toEqual([]);
    });

    it("signs in with the passkey alone, without a name or a password", async () => {
      await tab.forgetCookies();
      await tab.page.goto(authorizeUrl(client));
      await tab.press("Sign in with a passkey");
      expect(await claimsAt(tab)).toMatchObject({
        sub: person.userId,
        amr: ["hwk", "user", "mfa"],
        acr: "urn:factory:acr:phishing-resistant",
      });
      await tab.forgetCookies();
      await tab.page.goto(`${home}/connect/security`);
      await tab.press("Sign in with a passkey");
      expect(await tab.text()).toContain(person.email);
      expect(tab.complaints).toEqual([]);
    });

    it("stays on the page when the authenticator does not recognize the person", async () => {
      await tab.forgetCookies();
      await tab.recognizes(false);
      await tab.page.goto(authorizeUrl(client));
      await tab.page.locator("::-p-text(Sign in with a passkey)").click();
      await tab.page.locator("::-p-text(No passkey was used. Try again, or choose another way.)").wait();
      expect(tab.page.url()).toContain("/connect/interaction/");
      await tab.recognizes(true);
      await tab.press("Sign in with a passkey");
      expect(tab.page.url()).toContain(callback);
    });
  });

  it("names every control of the pages, and the key Tab reaches them in their order", async () => {
    const tab = await aTab();
    const textsAt = async (address: string) => {
      await tab.page.goto(`${home}${address}`);
      const { all, byTab } = await tab.controls();
      expect(all).not.toContain("");
      expect([address, byTab]).toEqual([address, all]);
      return all;
    };
    expect(await textsAt("/connect/security")).toEqual([
      ...["E-mail address", "Password", "Organization", "Sign in", "Cancel", "Sign in with a passkey"],
      ...["Forgot your password?", "Change your password or your second factor"],
    ]);
    expect(await textsAt("/connect/password-reset")).toEqual(["E-mail address", "Organization", "Send the link"]);
    await anOwner(tab);
    expect(await textsAt("/connect/security")).toEqual(
      expect.arrayContaining(["Rename or remove Laptop", "Current password", "New password", "Sign out"]),
    );
    expect(await textsAt("/connect/security?add=Totp")).toEqual([
      ...["open the app", "Code from the app", "Continue", "Cancel"],
    ]);
    expect(await textsAt("/connect/security?add=Passkey")).toEqual(["Name", "Create a passkey", "Cancel"]);
    await tab.close();
  });

  it("renames and removes a passkey, which then opens nothing", async () => {
    const tab = await aTab();
    await anOwner(tab);
    await tab.unfold("Rename or remove");
    await tab.page.locator("input[name=name]").fill("Phone");
    await tab.press("Save the name");
    expect(await tab.text()).toMatch(/The second factor has its new name.*Phone/s);
    await tab.unfold("Rename or remove");
    await tab.press("Remove");
    expect(await tab.text()).toMatch(/The second factor is removed.*You have none/s);
    await tab.forgetCookies();
    await tab.page.goto(authorizeUrl(client));
    await tab.press("Sign in with a passkey");
    expect(await tab.text()).toContain("The passkey was not accepted");
    expect(tab.complaints.filter((text) => !text.includes("400"))).toEqual([]);
    await tab.close();
  });
});
