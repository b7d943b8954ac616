import { BareRepository, type FixtureFile } from "../../git/git/bare-repository.fixture.js";
import type { SourcePolicy } from "../../git/git/remote-policy.js";
import { openTarget, pushScaffold, type ScaffoldPush } from "./push-scaffold.js";

const policy: SourcePolicy = { allowFile: true, fileRoots: [], allowLoopback: true, allowHosts: [] };

type Content = Record<string, string | Uint8Array | { executable: string }>;

function tree(content: Content) {
  return new Map(
    Object.entries(content).map(([path, file]) => {
      const plain = typeof file === "string" || file instanceof Uint8Array;
      return [path, { bytes: Buffer.from(plain ? file : file.executable), executable: !plain }];
    }),
  );
}

const lines = (change: Record<number, string> = {}, count = 9) =>
  Array.from({ length: count }, (_, index) => `${change[index + 1] ?? `line ${index + 1}`}\n`).join("");

describe("merging a scaffold into a branch that people work on", () => {
  let target: BareRepository;
  let renders: Map<string, Content>;
  let askedIds: string[];

  beforeEach(async () => {
    target = await BareRepository.create();
    renders = new Map();
    askedIds = [];
  });
  afterEach(() => target.remove());

  const scaffold = (id: string, content: Content, change: Partial<ScaffoldPush> = {}): ScaffoldPush => ({
    url: target.url,
    branch: "main",
    files: tree(content),
    commit: {
      message: `Scaffold web 1.0.0\n\nExecution-Id: ${id}\nTemplate-Version-Id: tmv_1\n`,
      authorName: "Bot",
      authorEmail: "bot@localhost",
      date: new Date("2026-01-02T03:04:05Z"),
    },
    onConflict: "merge",
    mergeBase: async (executionId) => {
      askedIds.push(executionId);
      const files = renders.get(executionId);
      return files && tree(files);
    },
    ...change,
  });
  const push = async (id: string, content: Content, change?: Partial<ScaffoldPush>) => {
    const pushResult = await pushScaffold(scaffold(id, content, change), policy);
    renders.set(id, content);
    return pushResult;
  };
  /** Somebody's commit: the whole tree. */
  const edit = (files: Record<string, FixtureFile>, message = "by hand") => target.commit("main", files, { message });
  const conflictOf = async (attempt: Promise<unknown>) => {
    const head = await target.head("main");
    const error = await attempt.then(
      () => undefined,
      (thrown: unknown) => thrown as { code: string; facts: Record<string, unknown> },
    );
    expect(error?.code).toBe("TARGET_CONFLICT");
    expect(await target.head("main")).toBe(head);
    return error?.facts;
  };

  it("takes the change of one side, and both changes on different lines", async () => {
    await push("exe_1", { "both.txt": lines(), "ours.txt": "1", "theirs.txt": "1", "same.txt": "1" });
    await edit({
      "both.txt": lines({ 1: "mine" }),
      "ours.txt": "mine",
      "theirs.txt": "1",
      "same.txt": "2",
      "foreign.txt": "f",
    });
    const second = {
      "both.txt": lines({ 9: "new" }),
      "ours.txt": "1",
      "theirs.txt": "new",
      "same.txt": "2",
      "added.txt": "a",
    };
    const pushResult = await push("exe_2", second);
    expect(await target.files("main")).toEqual({
      "added.txt": "100644 a",
      "both.txt": `100644 ${lines({ 1: "mine", 9: "new" })}`,
      "foreign.txt": "100644 f",
      "ours.txt": "100644 mine",
      "same.txt": "100644 2",
      "theirs.txt": "100644 new",
    });
    expect(pushResult.files.map(({ path, change, size }) => [path, change, size])).toEqual([
      ["added.txt", "Created", 1],
      ["both.txt", "Updated", lines({ 1: "mine", 9: "new" }).length],
      ["ours.txt", "Unchanged", 4],
      ["same.txt", "Unchanged", 1],
      ["theirs.txt", "Updated", 3],
    ]);
    expect(pushResult).toMatchObject({ filesCreated: 1, filesUpdated: 2 });
    expect((await push("exe_2", second)).files).toEqual(pushResult.files);
    expect(await target.text("rev-list", "--count", "main")).toBe("3");
  });

  it("compares with the render of the last scaffold, not with the merged commit", async () => {
    await push("exe_1", { "a.txt": lines() });
    await edit({ "a.txt": lines({ 1: "mine" }) });
    await push("exe_2", { "a.txt": lines({ 9: "second" }) });
    await push("exe_3", { "a.txt": lines({ 5: "third", 9: "second" }) });
    expect((await target.files("main"))["a.txt"]).toBe(`100644 ${lines({ 1: "mine", 5: "third", 9: "second" })}`);
    // a template that takes its line back meets nobody's change
    await push("exe_4", { "a.txt": lines({ 5: "third" }) });
    expect((await target.files("main"))["a.txt"]).toBe(`100644 ${lines({ 1: "mine", 5: "third" })}`);
  });

  it("makes no commit when the template did not change, whatever was changed by hand", async () => {
    await push("exe_1", { "a.txt": "1", "gone.txt": "1" });
    const head = await edit({ "a.txt": "mine" });
    expect(await push("exe_2", { "a.txt": "1", "gone.txt": "1" })).toMatchObject({ changed: false, commitSha: head });
  });

  it("keeps CRLF files CRLF", async () => {
    const crlf = (text: string) => text.replaceAll("\n", "\r\n");
    await push("exe_1", { "win.txt": crlf(lines()), "turned.txt": lines() });
    await edit({ "win.txt": crlf(lines({ 1: "mine" })), "turned.txt": crlf(lines()) });
    await push("exe_2", { "win.txt": crlf(lines({ 9: "new" })), "turned.txt": lines({ 9: "new" }) });
    expect(await target.files("main")).toEqual({
      "win.txt": `100644 ${crlf(lines({ 1: "mine", 9: "new" }))}`,
      "turned.txt": `100644 ${crlf(lines({ 9: "new" }))}`,
    });
  });

  it("merges modes apart from bytes", async () => {
    await push("exe_1", { "ours.sh": "1", "theirs.sh": "1", "mixed.sh": "1", "off.sh": { executable: "1" } });
    const executableFile = (content: string): FixtureFile => ({ mode: "100755", content });
    await edit({ "ours.sh": executableFile("1"), "theirs.sh": "mine", "mixed.sh": executableFile("1"), "off.sh": "1" });
    await push("exe_2", {
      "ours.sh": "1",
      "theirs.sh": { executable: "1" },
      "mixed.sh": "new",
      "off.sh": { executable: "new" },
    });
    expect(await target.files("main")).toEqual({
      "ours.sh": "100755 1",
      "theirs.sh": "100755 mine",
      "mixed.sh": "100755 new",
      "off.sh": "100644 new",
    });
  });

  it("follows removals of one side, and names those that meet a change", async () => {
    const first = { "keep.txt": "k", "by-us.txt": "1", "by-them.txt": "1", "folder/by-them.txt": "1" };
    await push("exe_1", first);
    await edit({ "keep.txt": "k", "by-them.txt": "1", "folder/by-them.txt": "1", "folder/own.txt": "o" });
    const pushResult = await push("exe_2", { "keep.txt": "k", "by-us.txt": "1" });
    expect(Object.keys(await target.files("main"))).toEqual(["folder/own.txt", "keep.txt"]);
    expect(pushResult.files.map(({ path, change }) => [path, change])).toEqual([
      ["by-them.txt", "Deleted"],
      ["folder/by-them.txt", "Deleted"],
      ["keep.txt", "Unchanged"],
    ]);
    expect((await push("exe_2", { "keep.txt": "k", "by-us.txt": "1" })).files).toEqual(pushResult.files);

    renders.set("exe_2", { "keep.txt": "k", "by-us.txt": "1", "folder/own.txt": "template's" });
    const facts = await conflictOf(push("exe_3", { "keep.txt": "k", "by-us.txt": "changed" }));
    expect(facts).toMatchObject({ paths: ["by-us.txt", "folder/own.txt"] });
  });

  it("lets a folder take the place of a removed file, and a file that of a folder", async () => {
    await push("exe_1", { place: "1", "other/a.txt": "1" });
    await push("exe_2", { "place/a.txt": "1", other: "1" });
    expect(Object.keys(await target.files("main"))).toEqual(["other", "place/a.txt"]);
    await edit({ other: "1", "place/a.txt": "1", "place/own.txt": "o" });
    expect(await conflictOf(push("exe_3", { place: "1", other: "1" }))).toMatchObject({ paths: ["place"] });
  });

  it("names files with overlapping changes and the number of conflicts, and never writes conflict markers", async () => {
    await push("exe_1", { "a.txt": lines(), "b.bin": Buffer.from([0, 1]), "c.txt": "1", link: "1" });
    await edit({
      "a.txt": lines({ 1: "mine", 9: "mine" }),
      "b.bin": Buffer.from([0, 2]),
      "c.txt": "1",
      link: { mode: "120000", content: "c.txt" },
      "new.txt": "mine",
    });
    const second = {
      "a.txt": lines({ 1: "new", 9: "new" }),
      "b.bin": Buffer.from([0, 3]),
      "c.txt": "2",
      link: "2",
      "new.txt": "new",
    };
    const facts = await conflictOf(push("exe_2", second));
    expect(facts).toEqual({
      detail: expect.stringContaining("in 2 place(s)"),
      paths: ["a.txt", "b.bin", "link", "new.txt"],
      overlaps: [{ path: "a.txt", hunks: 2 }],
    });
    const open = await openTarget({ url: target.url, branch: "main" }, policy);
    try {
      const { files: preview } = await open.plan(scaffold("exe_2", second));
      expect(preview.map(({ path, conflict, conflictingHunks }) => [path, conflict, conflictingHunks])).toEqual([
        ["a.txt", true, 2],
        ["b.bin", true, 1],
        ["c.txt", false, 0],
        ["link", true, 1],
        ["new.txt", true, 1],
      ]);
    } finally {
      await open.close();
    }
  });

  it("does not merge files over 5 MiB", async () => {
    const large = (first: string, last: string) => `${first}\n${"x".repeat(5 * 1024 * 1024)}\n${last}\n`;
    await push("exe_1", { "large.txt": large("1", "1"), "taken.txt": large("1", "1") });
    await edit({ "large.txt": large("mine", "1"), "taken.txt": large("1", "1") });
    const second = { "large.txt": large("1", "new"), "taken.txt": large("1", "new") };
    expect(await conflictOf(push("exe_2", second))).toMatchObject({ paths: ["large.txt"] });
  });

  it("shows the merge of a conflict in a preview, with the error of its push", async () => {
    await push("exe_1", { "a.txt": lines() });
    await edit({ "a.txt": lines({ 1: "mine", 5: "my own" }) });
    const open = await openTarget({ url: target.url, branch: "main" }, policy);
    try {
      const next = { "a.txt": lines({ 1: "new", 9: "more" }) };
      const { files, refusal } = await open.plan(scaffold("exe_2", next));
      const text = Buffer.from(files[0]?.newBytes ?? []).toString();
      expect(text).toContain("<<<<<<< target\nmine\n=======\nnew\n>>>>>>> template\n");
      for (const keptLine of ["my own\n", "more\n"]) expect(text).toContain(keptLine);
      expect(refusal).toMatchObject({ code: "TARGET_CONFLICT", facts: { overlaps: [{ path: "a.txt", hunks: 1 }] } });
      expect(await conflictOf(push("exe_2", next))).toEqual(refusal?.facts);
    } finally {
      await open.close();
    }
  });

  it("shows a merged file in a preview", async () => {
    await push("exe_1", { "a.txt": lines(), "gone.txt": "1" });
    await edit({ "a.txt": lines({ 1: "mine" }), "gone.txt": "1" });
    const open = await openTarget({ url: target.url, branch: "main" }, policy);
    try {
      const {
        files: [mergedFile, goneFile],
      } = await open.plan(scaffold("exe_2", { "a.txt": lines({ 9: "new" }) }));
      expect(Buffer.from(mergedFile?.newBytes ?? []).toString()).toBe(lines({ 1: "mine", 9: "new" }));
      expect(Buffer.from(mergedFile?.oldBytes ?? []).toString()).toBe(lines({ 1: "mine" }));
      expect(goneFile).toMatchObject({ path: "gone.txt", change: "Deleted", conflict: false, newBytes: undefined });
    } finally {
      await open.close();
    }
  });

  describe("its base", () => {
    it("is the newest scaffold of the same template; those of others are passed over", async () => {
      await push("exe_old", { "a.txt": "0" });
      await push("exe_web", { "a.txt": "1" });
      await pushScaffold(scaffold("exe_other", { "other.txt": "x" }, { onConflict: "fail" }), policy);
      askedIds = [];
      await push("exe_2", { "a.txt": "2" });
      expect(askedIds).toEqual(["exe_other", "exe_web"]);
      expect(await target.files("main")).toEqual({ "a.txt": "100644 2", "other.txt": "100644 x" });
    });

    it("is found in squashed and merged commits", async () => {
      renders.set("exe_b", { "a.txt": "1" });
      await edit(
        { "a.txt": "1" },
        "Squashed\r\n\r\n* Scaffold\r\n\r\nExecution-Id: exe_a\r\n\r\nExecution-Id: exe_b\r\n",
      );
      await push("exe_2", { "a.txt": "2" });
      expect(askedIds).toEqual(["exe_b"]);
      const parents = ["-p", await target.text("rev-parse", "main"), "-p"];
      renders.set("exe_side", { "a.txt": "2", "b.txt": "1" });
      const side = await target.commit(
        "side",
        { "a.txt": "2", "b.txt": "1" },
        { message: "x\n\nExecution-Id: exe_side" },
      );
      const identity = ["-c", "user.name=T", "-c", "user.email=t@localhost"];
      const merge = await target.text(...identity, "commit-tree", ...parents, side, "-m", "merge", `${side}^{tree}`);
      await target.run(["update-ref", "refs/heads/main", merge]);
      await push("exe_3", { "a.txt": "2", "b.txt": "2" });
      expect((await target.files("main"))["b.txt"]).toBe("100644 2");
    });

    it.each([
      ["", true],
      [" on a server that does not leave out trees", false],
    ])("is found far back in the history, but not farther than 1,000 commits%s", async (_, treeless) => {
      const history = async (commits: number) => {
        const parts = Array.from({ length: commits }, (_, index) => {
          const from = index === 0 ? "from refs/heads/main^0\n" : "";
          const head = `commit refs/heads/main\ncommitter T <t@localhost> ${1_800_000_000 + index} +0000\n`;
          return `${head}data 1\nx\n${from}M 644 inline deep/er/noise.txt\ndata ${String(index).length}\n${index}\n\n`;
        });
        await target.run(["fast-import", "--quiet", "--date-format=raw"], parts.join(""));
      };
      await push("exe_1", { "a.txt": lines() });
      await history(900);
      await target.run(["config", "uploadpackfilter.tree.allow", String(treeless)]);
      await push("exe_2", { "a.txt": lines({ 9: "new" }) });
      expect(await target.files("main")).toEqual({
        "a.txt": `100644 ${lines({ 9: "new" })}`,
        "deep/er/noise.txt": "100644 899",
      });
      await history(1_000);
      expect(await conflictOf(push("exe_3", { "a.txt": lines() }))).toMatchObject({ paths: ["a.txt"] });
    });

    it("is not looked for beyond 1,000 names in messages", async () => {
      const names = Array.from({ length: 1_200 }, (_, index) => `Execution-Id: exe_${index}`);
      await edit({ "a.txt": "1" }, `x\n\n${names.join("\n")}`);
      await conflictOf(push("exe_new", { "a.txt": "2" }));
      expect([askedIds.length, askedIds[0]]).toEqual([1_000, "exe_1199"]);
    });

    it("is missing: files that differ are conflicts, and nothing is removed", async () => {
      await edit({ "a.txt": "1", "b.txt": "1" });
      expect(await conflictOf(push("exe_1", { "a.txt": "2", "c.txt": "1" }))).toMatchObject({ paths: ["a.txt"] });
      await push("exe_1", { "b.txt": "1", "c.txt": "1" });
      const withoutCallback = { ...scaffold("exe_2", { "c.txt": "2" }) };
      delete withoutCallback.mergeBase;
      expect(await conflictOf(pushScaffold(withoutCallback, policy))).toMatchObject({ paths: ["c.txt"] });
    });

    it("is rendered once, and its failure is the push's", async () => {
      await push("exe_1", { "a.txt": "1" });
      const failing = { mergeBase: () => Promise.reject(new Error("no rendering")) };
      await expect(push("exe_2", { "a.txt": "2" }, failing)).rejects.toThrow("no rendering");
    });
  });

  it("merges again after a lost race, and keeps the other's commit", async () => {
    await push("exe_1", { "a.txt": lines(), "race.txt": "r" });
    let races = 0;
    const edits = new Map([
      [
        "race.txt",
        (current: Uint8Array) => {
          races += 1;
          return Buffer.concat([current, Buffer.from("!")]);
        },
      ],
    ]);
    let branchMove: Promise<unknown> | undefined;
    const mergeBase = async (executionId: string) => {
      branchMove ??= edit({ "a.txt": lines({ 1: "raced" }), "race.txt": "r", "theirs.txt": "t" });
      await branchMove;
      return tree(renders.get(executionId) ?? {});
    };
    const pushResult = await push("exe_2", { "a.txt": lines({ 9: "new" }) }, { edits, mergeBase });
    expect(races).toBe(2);
    expect(await target.text("rev-parse", "main")).toBe(pushResult.commitSha);
    expect(await target.files("main")).toEqual({
      "a.txt": `100644 ${lines({ 1: "raced", 9: "new" })}`,
      "race.txt": "100644 r!",
      "theirs.txt": "100644 t",
    });
    expect(await target.text("rev-list", "--count", "main")).toBe("3");
  });
});
