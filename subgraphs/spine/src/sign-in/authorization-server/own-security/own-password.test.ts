import { aUser } from "../../../people/users/user.fixture.js";
import { RunningSpine } from "../../../running-spine.fixture.js";
import { TestBrowser } from "../sign-in/browser.fixture.js";

let platform: RunningSpine;
let base: string;
let tenantId: string;

const newPassword = "a quite different password";

beforeAll(async () => {
  platform = await RunningSpine.start();
  base = await platform.listen();
  tenantId = await platform.activeTenant("acme");
});

afterAll(() => platform?.stop());

/** A browser that shows the page for the person's own security. */
async function aVisit({ email: username, password }: { email: string; password: string }) {
  const browser = new TestBrowser(base);
  const page = await browser.submit(await browser.open("/connect/security"), { username, password, action: "sign-in" });
  return { browser, page };
}

describe("the page for one's own security", () => {
  it("shows no notice for a name in its address that it does not know", async () => {
    const { browser } = await aVisit(await aUser(platform, tenantId, []));
    for (const name of ["constructor", "__proto__", "toString", "nothing"]) {
      const page = await browser.open(`/connect/security?done=${name}`);
      expect([name, page.status]).toEqual([name, 200]);
      expect(page.text).not.toContain('role="status"');
    }
  });
});

describe("the form for the password on the page for one's own security", () => {
  it("changes it, keeps this browser signed in, and signs the others out", async () => {
    const person = await aUser(platform, tenantId, []);
    const [ownVisit, other] = [await aVisit(person), await aVisit(person)];
    const fields = { action: "change-password", currentPassword: person.password, newPassword };
    const wrong = await ownVisit.browser.submit(ownVisit.page, { ...fields, currentPassword: "wrong password" });
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining("The current password is wrong")]);
    const weak = await ownVisit.browser.submit(ownVisit.page, { ...fields, newPassword: "password1" });
    expect([weak.status, weak.text]).toEqual([422, expect.stringContaining("Choose a password that is not common")]);
    const answer = await ownVisit.browser.submit(ownVisit.page, fields);
    expect(answer.text).toContain("Your password is changed.");
    expect((await ownVisit.browser.open("/connect/security")).text).toContain("<h1>Your security</h1>");
    expect((await other.browser.open("/connect/security")).text).toContain("<h1>Sign in</h1>");
    const again = await aVisit({ ...person, password: newPassword });
    expect(again.page.text).toContain("<h1>Your security</h1>");
  });

  it("stops guessing of the current password", async () => {
    const person = await aUser(platform, tenantId, []);
    const { browser, page } = await aVisit(person);
    const guess = (currentPassword: string) =>
      browser.submit(page, { action: "change-password", currentPassword, newPassword });
    for (let time = 0; time < 10; time += 1) expect((await guess(`no ${time}`)).status).toBe(422);
    expect((await guess(person.password)).text).toContain("Too many wrong passwords");
  });
});
