import { receivedError, sentError } from "../jobs/child-processes/child-messages.js";
import { FileOutage, fileFailure, systemCodeIn } from "./file-failure.js";
import { isOutage, isUnavailable, outageRefusal } from "./unavailable.js";

const systemError = (code: string) => Object.assign(new Error(`write ${code}`), { code, syscall: "write" });

describe("failures of files", () => {
  it.each([
    ["ENOSPC", "Full"],
    ["EDQUOT", "Full"],
    ["EROFS", "ReadOnly"],
    ["EIO", "Broken"],
    ["EMFILE", "NoDescriptors"],
    ["ENFILE", "NoDescriptors"],
  ])("%s is 503 with Retry-After and costs background work nothing", (code, failure) => {
    const error = new Error("wrapped", { cause: systemError(code) });
    expect(fileFailure(error)).toBe(failure);
    expect([isOutage(error), isUnavailable(error)]).toEqual([true, true]);
    expect(outageRefusal(error)).toMatchObject({ code: "UNAVAILABLE", facts: { retryAfterSeconds: 5 } });
  });

  it.each(["EFBIG", "ENOENT", "EACCES", "ENOTDIR"])("%s is a failure of the work itself", (code) => {
    expect([isOutage(systemError(code)), outageRefusal(systemError(code))]).toEqual([false, undefined]);
  });

  it("keeps its kind on its way between two processes", () => {
    const outage = new FileOutage("EROFS", "The disk takes no writes", { cause: systemError("EROFS") });
    const receivedCopy = structuredClone(sentError(new Error("wrapped", { cause: outage })));
    expect(fileFailure(receivedError(receivedCopy))).toBe("ReadOnly");
  });

  it.each([
    ["fatal: write error: No space left on device", "ENOSPC"],
    ["fatal: sha1 file 'objects/pack/tmp_pack_x' write error. Out of diskspace", "ENOSPC"],
    ["fatal: unable to write loose object file: Disk quota exceeded", "EDQUOT"],
    ["fatal: cannot mkdir x.git: Read-only file system", "EROFS"],
    ["error: remote unpack failed: unable to create temporary object directory", "EROFS"],
    ["error: unable to read objects/aa/bb: Input/output error", "EIO"],
    ["error: cannot create standard output pipe for git-receive-pack: Too many open files", "EMFILE"],
    ["fatal: repository 'https://git.example/x.git/' not found", undefined],
  ])("is read from the output of a program: %s", (output, code) => {
    expect(systemCodeIn(output)).toBe(code);
  });
});
