import type { SourcePolicy } from "../../../git/git/remote-policy.js";
import { formatSourceRef, type GitSourceRef, parseSourceRef } from "./source-ref.js";

const development: SourcePolicy = { allowFile: true, fileRoots: [], allowLoopback: true, allowHosts: [] };
const production: SourcePolicy = { allowFile: false, fileRoots: [], allowLoopback: false, allowHosts: [] };

const gitRef = (ref: Partial<GitSourceRef>) => ({ ref: { kind: "git", ref: null, path: "", ...ref } });

describe("reading a sourceRef", () => {
  it.each([
    ["git+https://host.example/o/r.git", gitRef({ transport: "https", url: "https://host.example/o/r.git" })],
    [
      "git+https://host.example/o/r.git#v1.2.0:templates/api",
      gitRef({ transport: "https", url: "https://host.example/o/r.git", ref: "v1.2.0", path: "templates/api" }),
    ],
    [
      "git+https://host.example/o/r.git#:a/b/",
      gitRef({ transport: "https", url: "https://host.example/o/r.git", path: "a/b" }),
    ],
    ["git+https://host.example/r#HEAD:/a", gitRef({ transport: "https", url: "https://host.example/r", path: "a" })],
    [
      "git+file:///srv/x.git#feature/x:web",
      gitRef({ transport: "file", url: "file:///srv/x.git", ref: "feature/x", path: "web" }),
    ],
    ["git+http://127.0.0.1:8080/x.git", gitRef({ transport: "http", url: "http://127.0.0.1:8080/x.git" })],
    [
      "git+ssh://git@host.example/x.git#main",
      gitRef({ transport: "ssh", url: "ssh://git@host.example/x.git", ref: "main" }),
    ],
  ])("takes %s", (text, expectedRef) => {
    expect(parseSourceRef(text, development)).toEqual(expectedRef);
  });

  it.each([
    "git+https://host.example/o/r.git",
    "git+https://host.example/o/r.git#v1:templates/api",
    "git+file:///srv/x.git#:web",
  ])("writes %s back unchanged", (text) => {
    const parseResult = parseSourceRef(text);
    expect("ref" in parseResult ? formatSourceRef(parseResult.ref) : parseResult).toBe(text);
  });

  const sha256 = "a".repeat(64);
  const download = { kind: "package", transport: "https", url: "https://host.example/x.nupkg", sha256: null, path: "" };
  const feed = {
    kind: "package",
    transport: "feed",
    packageId: "My.Templates",
    version: "1.2.0",
    sha256: null,
    path: "",
  };

  it.each([
    ["nupkg+https://host.example/x.nupkg", download],
    ["nupkg+https://host.example/x.nupkg#content/api", { ...download, path: "content/api" }],
    ["nupkg+https://host.example/x.nupkg#:/content/", { ...download, path: "content" }],
    [`nupkg+https://host.example/x.nupkg#sha256=${sha256}`, { ...download, sha256 }],
    [
      `nupkg+https://host.example/x.nupkg#SHA256=${sha256.toUpperCase()}:content`,
      { ...download, sha256, path: "content" },
    ],
    ["nupkg+http://127.0.0.1:8080/x.zip", { ...download, transport: "http", url: "http://127.0.0.1:8080/x.zip" }],
    ["nupkg+file:///srv/x.nupkg#a", { ...download, transport: "file", url: "file:///srv/x.nupkg", path: "a" }],
    ["nuget:My.Templates@1.2.0", feed],
    ["nuget:My.Templates@1.2.0-beta.1+build", { ...feed, version: "1.2.0-beta.1+build" }],
    ["nuget:My.Templates@1.2.0#content/api", { ...feed, path: "content/api" }],
    [`nuget:My.Templates@1.2.0#sha256=${sha256}:content/api`, { ...feed, sha256, path: "content/api" }],
  ])("takes the package %s", (text, ref) => {
    expect(parseSourceRef(text, development)).toEqual({ ref });
  });

  it.each([
    `nupkg+https://host.example/x.nupkg#sha256=${sha256}`,
    `nupkg+file:///srv/x.nupkg#sha256=${sha256}:content/api`,
    `nuget:My.Templates@1.2.0#sha256=${sha256}:content/api`,
    "nuget:My.Templates@1.2.0",
  ])("writes the package %s back unchanged", (text) => {
    const parseResult = parseSourceRef(text);
    expect("ref" in parseResult ? formatSourceRef(parseResult.ref) : parseResult).toBe(text);
  });

  it.each([
    "git+https://user:secret@host.example/r.git",
    "git+https://token@host.example/r.git",
    "https://user:secret@host.example/r.git",
    "git+https://host.example/r.git?access_token=abc",
    "git+https://host.example/r.git#main\n",
    "git+https://host.example/r\u0000.git",
    "git+https://host.example/r\ud800.git",
    "git+file:///srv/%00x.git",
    "--upload-pack=touch /tmp/x",
    "git+ssh://-oProxyCommand=x/r.git",
    "git+https://host.example/r.git#--upload-pack=x",
    "git+https://host.example/r.git#main:--x",
    "git+https://host.example/r.git#main:../../etc",
    "git+https://host.example/r.git#main:a/.GIT/hooks",
    "nupkg+https://user:secret@host.example/x.nupkg",
    "nupkg+https://host.example/x.nupkg?sig=abc",
    "nupkg+https://host.example/x.nupkg#../secrets",
    `nuget:My.Templates@1.2.0#sha256=${"a".repeat(64)}:../..`,
    "nuget:My.Templates@1.2.0#content/.git",
    "ext::sh -c touch% /tmp/x",
    "git+ext::sh -c id",
  ])("calls %j dangerous without knowing the policy", (text) => {
    expect(parseSourceRef(text)).toEqual({ dangerous: expect.any(String) });
  });

  it.each([
    "git+file:///etc",
    "git+http://host.example/r.git",
    "git+https://localhost/r.git",
    "git+https://127.0.0.1/r.git",
    "git+https://127.1/r.git",
    "git+https://0x7f000001/r.git",
    "git+https://2130706433/r.git",
    "git+https://[::1]/r.git",
    "git+https://[::ffff:127.0.0.1]/r.git",
    "git+https://①②⑦.0.0.1/r.git",
    "git+https://0/r.git",
    "git+https://169.254.169.254/latest",
    "git+https://10.1.2.3/r.git",
    "git+https://[fd00::1]/r.git",
    "git+https://[64:ff9b::7f00:1]/r.git",
    "https://169.254.169.254/latest",
    "nupkg+https://192.168.1.1/x.nupkg",
    "nupkg+file:///srv/x.nupkg",
    "nupkg+http://host.example/x.nupkg",
  ])("calls %s dangerous in production", (text) => {
    expect(parseSourceRef(text, production)).toEqual({ dangerous: expect.any(String) });
  });

  it.each([
    "",
    "my template",
    "https://host.example/o/r.git",
    "file:///srv/x.git",
    "git@host.example:o/r.git",
    "My.Templates::1.0.0",
    "git+ftp://host.example/r.git",
    "git+https://",
    "git+https://host.example",
    "git+file://elsewhere/srv/x.git",
    "git+file:relative",
    "git+https://host.example/r.git?path=x",
    "git+https://host.example/r.git#a..b",
    "git+https://host.example/r.git#a~1",
    "nuget:My.Templates",
    "nuget:My.Templates@latest",
    "nuget:My.Templates@1.*",
    "nuget:../x@1.0.0",
    `nuget:${"a".repeat(101)}@1.0.0`,
    "nuget:My.Templates@1.0.0#sha256=abc",
    "nupkg+https://host.example/x.nupkg#sha256=abc:content",
    "nupkg+ftp://host.example/x.nupkg",
  ])("keeps %j as unsupported", (text) => {
    expect(parseSourceRef(text, development)).toEqual({ unsupported: expect.any(String) });
  });

  it("allows named inner hosts, and roots for local repositories", () => {
    const policy = {
      ...production,
      allowFile: true,
      fileRoots: ["/srv"],
      allowHosts: ["git.internal:8443", "10.0.0.9"],
    };
    expect(parseSourceRef("git+http://git.internal:8443/r.git", policy)).toHaveProperty("ref");
    expect(parseSourceRef("git+https://10.0.0.9/r.git", policy)).toHaveProperty("ref");
    expect(parseSourceRef("git+https://10.0.0.8/r.git", policy)).toHaveProperty("dangerous");
    expect(parseSourceRef("git+file:///srv/r.git", policy)).toHaveProperty("ref");
    expect(parseSourceRef("git+file:///srv/../etc/r.git", policy)).toHaveProperty("dangerous");
    expect(parseSourceRef("git+file:///srvx/r.git", policy)).toHaveProperty("dangerous");
    expect(
      parseSourceRef("git+file:///srv/store/a.git", { ...policy, blockedFileRoots: ["/srv/store"] }),
    ).toHaveProperty("dangerous");
  });
});
