import { TenantSlots } from "./tenant-slots.js";

describe("slots of tenants", () => {
  it("let so many works of each tenant in, and another once one has ended, however it did", async () => {
    const slots = new TenantSlots(2, "tests");
    let end: (() => void) | undefined;
    const first = slots.run("a", () => new Promise<void>((resolve) => (end = resolve)));
    const second = slots.run("a", () => new Promise<void>((_, reject) => setTimeout(reject, 5, new Error("broken"))));
    await expect(slots.run("a", async () => 1)).rejects.toMatchObject({ code: "RATE_LIMITED" });
    await expect(slots.run("b", async () => 2)).resolves.toBe(2);
    await expect(second).rejects.toThrow("broken");
    await expect(slots.run("a", async () => 3)).resolves.toBe(3);
    end?.();
    await first;
  });
});
