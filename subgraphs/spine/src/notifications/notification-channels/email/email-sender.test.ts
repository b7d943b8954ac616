import { until } from "../../../running-spine.fixture.js";
import { ServerPause } from "./email-sender.js";

describe("the pause after a mail server took no mail", () => {
  it("keeps further mails from it for a while, for the same reason", async () => {
    const pause = new ServerPause(100);
    expect(pause.reason).toBeUndefined();
    pause.begin("ETIMEDOUT");
    expect(pause.reason).toBe("ETIMEDOUT");
    await until(async () => pause.reason === undefined);
  });
});
