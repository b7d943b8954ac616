import { credentialHosts } from "./credential-host.js";

describe("the hosts of a credential", () => {
  it.each([
    ["https://Git.Example/o/r.git", ["git.example", "git.example:443"]],
    ["https://git.example:443/o/r.git", ["git.example", "git.example:443"]],
    ["https://git.example:8443/o/r.git", ["git.example:8443"]],
    ["https://git.example./o/r.git", ["git.example.", "git.example.:443"]],
    ["https://GÍT.example/o/r.git", ["xn--gt-nja.example", "xn--gt-nja.example:443"]],
    ["https://git.example@evil.example/o/r.git", ["evil.example", "evil.example:443"]],
    ["http://git.example/o/r.git", ["git.example:80"]],
    ["http://git.example:443/o/r.git", ["git.example:443"]],
    ["ssh://git@Git.Example/o/r.git", ["git.example", "git.example:22"]],
    ["ssh://git.example:22/o/r.git", ["git.example", "git.example:22"]],
    ["ssh://git.example:443/o/r.git", ["git.example:443"]],
    ["https://[2606:4700::1]/r.git", ["[2606:4700::1]", "[2606:4700::1]:443"]],
  ])("of %s are %j", (url, expectedHosts) => {
    expect(credentialHosts(new URL(url))).toEqual(expectedHosts);
  });
});
