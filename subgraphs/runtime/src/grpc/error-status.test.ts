import { type ProblemValues, problemMembers } from "@factory/schema/problem-members";
import { ErrorInfo, Status as RichStatus } from "@factory/schema/proto/generated/factory/rpc/v1/status";
import { Status } from "nice-grpc-common";
import { DomainError } from "../errors/domain-error.js";
import { fromWireStatus, toWireStatus } from "./error-status.js";

const overTheWire = (error: unknown) => {
  const { code, message, details } = toWireStatus(error);
  return fromWireStatus(code, message, details);
};

describe("errors as gRPC status", () => {
  it("keep code, detail, refused values and facts", () => {
    const errors = [{ pointer: "/purpose", code: "REQUIRED", detail: "Must be given." }];
    const thrown = new DomainError("INVALID_STATE", { detail: "It is Revoked.", errors, currentState: "Revoked" });
    const wireError = overTheWire(thrown);
    expect(wireError).toBeInstanceOf(DomainError);
    expect({ code: wireError.code, facts: wireError.facts }).toEqual({ code: "INVALID_STATE", facts: thrown.facts });
  });

  it("keep the kind of every member of a problem, so that no list and no number arrives as a text", () => {
    const examples: ProblemValues = { text: "a", number: 7, texts: ["a", "b"], objects: [{ of: "a" }] };
    const facts = Object.fromEntries(Object.entries(problemMembers).map(([name, kind]) => [name, examples[kind]]));
    const wireError = overTheWire(new DomainError("CONFLICT", { detail: "It is not so.", ...facts }));
    expect(wireError.facts).toEqual({ detail: "It is not so.", ...facts });
  });

  it.each([
    ["VALIDATION_FAILED", Status.INVALID_ARGUMENT],
    ["UNAUTHENTICATED", Status.UNAUTHENTICATED],
    ["INSUFFICIENT_SCOPE", Status.PERMISSION_DENIED],
    ["CREDENTIAL_NOT_FOUND", Status.NOT_FOUND],
    ["INVALID_STATE", Status.FAILED_PRECONDITION],
    ["PARAMETERS_INVALID", Status.INVALID_ARGUMENT],
    ["RATE_LIMITED", Status.RESOURCE_EXHAUSTED],
    ["SECRET_STORE_UNAVAILABLE", Status.UNAVAILABLE],
    ["TARGET_CONFLICT", Status.FAILED_PRECONDITION],
  ] as const)("answer %s as status %s", (code, status) => {
    expect(toWireStatus(new DomainError(code)).code).toBe(status);
  });

  it("tell of a full disk as unavailable, with the time after which to ask again", () => {
    const full = Object.assign(new Error("could not extend file"), { code: "53100" });
    const { code, details } = toWireStatus(full);
    expect(code).toBe(Status.UNAVAILABLE);
    const [info] = RichStatus.decode(details).details;
    expect(ErrorInfo.decode(info?.value ?? new Uint8Array())).toMatchObject({
      reason: "UNAVAILABLE",
      metadata: { retryAfterSeconds: "1" },
    });
  });

  it("are readable as google.rpc.ErrorInfo", () => {
    const { details } = RichStatus.decode(toWireStatus(new DomainError("NOT_FOUND")).details);
    expect(details[0]?.typeUrl).toBe("type.googleapis.com/google.rpc.ErrorInfo");
    expect(ErrorInfo.decode(details[0]?.value ?? new Uint8Array())).toMatchObject({ reason: "NOT_FOUND" });
  });

  it("keep their reason where a peer of another release has written a member in another way", () => {
    const firstDetail = RichStatus.decode(toWireStatus(new DomainError("INVALID_STATE")).details).details[0]?.value;
    const { domain } = ErrorInfo.decode(firstDetail ?? new Uint8Array());
    const { code, facts } = fromWireStatus(
      Status.FAILED_PRECONDITION,
      "",
      richInfo("INVALID_STATE", domain, { allowed: "Active", currentState: "Draft" }),
    );
    expect([code, facts]).toEqual(["INVALID_STATE", expect.objectContaining({ currentState: "Draft" })]);
  });

  it("show nothing of a bug", () => {
    const status = toWireStatus(new Error("password hunter2 at /srv/app.ts"));
    expect(status.code).toBe(Status.INTERNAL);
    expect(Buffer.from(status.details).toString() + status.message).not.toMatch(/hunter2|srv/);
    expect(overTheWire(new TypeError("x")).code).toBe("INTERNAL");
  });

  it("stay small, whatever they name", () => {
    const errors = Array.from({ length: 1000 }, (_, at) => ({
      pointer: `/${at}`,
      code: "FORMAT",
      detail: "x".repeat(99),
    }));
    const wireError = overTheWire(new DomainError("VALIDATION_FAILED", { detail: "y".repeat(100_000), errors }));
    expect(wireError.code).toBe("VALIDATION_FAILED");
    expect(toWireStatus(new DomainError("VALIDATION_FAILED", { errors })).details.length).toBeLessThan(6 * 1024);
  });

  it("survive half a surrogate pair", () => {
    expect(() => encodeURI(toWireStatus(new DomainError("NOT_FOUND", { detail: "\ud83d" })).message)).not.toThrow();
  });

  it.each([
    [Status.UNAVAILABLE, "UNAVAILABLE"],
    [Status.DEADLINE_EXCEEDED, "UPSTREAM_TIMEOUT"],
    [Status.RESOURCE_EXHAUSTED, "PAYLOAD_TOO_LARGE"],
    [Status.UNIMPLEMENTED, "UPSTREAM_FAILED"],
  ] as const)("without details of ours read status %s as %s, and repeat no message", (status, code) => {
    const wireError = fromWireStatus(status, "connect ECONNREFUSED 10.0.0.1:4002", undefined);
    expect(wireError.code).toBe(code);
    expect(wireError.message).not.toContain("10.0.0.1");
  });

  it.each([
    ["unreadable details", Uint8Array.of(0xff, 0xff, 0xff)],
    ["the details of another domain", richInfo("NOT_FOUND", "example.com")],
    ["a reason that is none", richInfo("toString", "factory.platform")],
  ])("do not believe %s", (_what, details) => {
    expect(fromWireStatus(Status.NOT_FOUND, "", details).code).toBe("UPSTREAM_FAILED");
  });
});

function richInfo(reason: string, domain: string, metadata: Record<string, string> = {}): Uint8Array {
  const value = ErrorInfo.encode({ reason, domain, metadata }).finish();
  const details = [{ typeUrl: "type.googleapis.com/google.rpc.ErrorInfo", value }];
  return RichStatus.encode({ code: Status.NOT_FOUND, message: "", details }).finish();
}
