import { namePartsOf, qualifiedName, serverParts, toolPart } from "./qualified-name.js";

const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

describe("names of tools", () => {
  it("are <server>__<tool>, and lead back to their parts", () => {
    const [server = ""] = serverParts([{ connectionId: "con_1", displayName: "Issue Tracker (EU)" }]).values();
    const name = qualifiedName(server, toolPart("create_issue"));
    expect(name).toBe("issue-tracker-eu__create_issue");
    expect(namePartsOf(name)).toEqual({ server, tool: "create_issue" });
    expect(namePartsOf(qualifiedName(server, toolPart("_a__b")))).toEqual({ server, tool: "_a__b" });
    expect(namePartsOf("create_issue")).toBeUndefined();
  });

  it("have at most 64 allowed characters, and differ where the names of the server differ", () => {
    const names = ["a.b", "a/b", "a b", "a_b", "ä", "ö", `${"x".repeat(60)}1`, `${"x".repeat(60)}2`, "日本", "", "."];
    const [server = ""] = serverParts([{ connectionId: "con_1", displayName: "s".repeat(200) }]).values();
    const qualifiedNames = names.map((name) => qualifiedName(server, toolPart(name)));
    expect(qualifiedNames.filter((name) => !namePattern.test(name))).toEqual([]);
    expect(new Set(qualifiedNames).size).toBe(names.length);
  });

  it("keep the name of the oldest connection when another one has the same name", () => {
    const connection = (connectionId: string, displayName: string) => ({ connectionId, displayName });
    const first = [connection("con_1", "Files"), connection("con_2", "Other")];
    const later = [...first, connection("con_3", "files!"), connection("con_4", "FILES"), connection("con_5", "§")];
    const [before, after] = [serverParts(first), serverParts(later)];
    expect(before.get("con_1")).toBe("files");
    for (const [id, part] of before) expect(after.get(id)).toBe(part);
    expect(new Set(after.values()).size).toBe(later.length);
  });
});
