import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { dirname } from "node:path";
import { FileOutage, fileFailure, systemCodeIn } from "@factory/runtime/errors/file-failure";
import { systemErrorCode } from "@factory/runtime/errors/system-error";
import { requireStarted } from "@factory/runtime/files/started-child";
import { programPath } from "./environment.js";
import { gitHome } from "./git-home.js";

export interface GitOptions {
  cwd?: string;
  input?: Uint8Array | string;
  env?: Record<string, string>;
  timeoutMs?: number;
  signal?: AbortSignal;
  maxOutputBytes?: number;
  /** True when the command unpacks a remote's data: it then runs under a memory limit. */
  unpacks?: boolean;
  /** True when the remote is a repository on this machine, so that what it says tells the state of our disks. */
  isLocalRemote?: boolean;
}

interface GitFailure {
  exitCode: number | null;
  stderr: string;
  timedOut: boolean;
  /** The command wrote more than `maxOutputBytes`. */
  overflowed: boolean;
}

/** A git command failed. `stderr` may contain local paths: it may be logged, but never be shown to a caller. */
export class GitError extends Error {
  override readonly name = "GitError";
  readonly exitCode: number | null;
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly overflowed: boolean;

  constructor(command: string, failure: GitFailure) {
    super(`git ${command} failed`);
    this.exitCode = failure.exitCode;
    this.stderr = failure.stderr;
    this.timedOut = failure.timedOut;
    this.overflowed = failure.overflowed;
  }
}

const defaultTimeoutMs = 30_000;
const defaultMaxOutputBytes = 16 * 1024 * 1024;
const killAfterMs = 2000;
// A few bytes in a hostile pack can unpack to any size. Systems without `ulimit -v` run without this limit.
const maxMemoryKib = 2 * 1024 * 1024;
const limitedGit = `ulimit -v ${maxMemoryKib} 2>/dev/null || :; exec git "$@"`;
const notFoundExitCode = 127;
const maxStderrBytes = 16 * 1024;

/**
 * Runs git in the hardened environment and returns its stdout. Throws GitError, FileOutage when a disk or this
 * machine's file descriptors are the reason, or the reason of an aborted signal.
 */
export async function git(args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  options.signal?.throwIfAborted();
  const home = await gitHome();
  const cwd = options.cwd ?? home.folder;
  const [program, words] = options.unpacks ? ["sh", ["-c", limitedGit, "git", ...args]] : ["git", args];
  const child = spawn(program, words, {
    cwd,
    env: { ...(await gitEnvironment()), GIT_CEILING_DIRECTORIES: dirname(cwd), ...options.env },
    // Its own process group, since a timeout must also end git's transport helpers.
    detached: true,
    stdio: "pipe",
  });
  requireStarted(child);
  return collect(child, args[0] ?? "", options);
}

/** The environment for every git process: without this machine's configuration, proxies, credentials and agents. */
export async function gitEnvironment(): Promise<Record<string, string>> {
  const home = await gitHome();
  return {
    PATH: programPath,
    HOME: home.folder,
    XDG_CONFIG_HOME: home.folder,
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: home.configFile,
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_ASKPASS: "true",
    GIT_OPTIONAL_LOCKS: "0",
  };
}

function collect(child: ChildProcessWithoutNullStreams, command: string, options: GitOptions): Promise<Buffer> {
  const { signal, timeoutMs = defaultTimeoutMs, maxOutputBytes = defaultMaxOutputBytes } = options;
  return new Promise((resolve, reject) => {
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let stdoutBytes = 0;
    let stderrBytes = 0;
    let timedOut = false;
    let hasOverflowed = false;
    const end = () => killGroup(child);
    const timer = setTimeout(() => {
      timedOut = true;
      end();
    }, timeoutMs);
    signal?.addEventListener("abort", end, { once: true });
    const settle = (exitCode: number | null, problem?: Error | string) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      if (signal?.aborted) return reject(signal.reason as Error);
      if (exitCode === 0 && !timedOut && !hasOverflowed) return resolve(Buffer.concat(stdout, stdoutBytes));
      const text = problem === undefined ? Buffer.concat(stderr).toString("utf8") : String(problem);
      const failure = new GitError(command, { exitCode, stderr: text, timedOut, overflowed: hasOverflowed });
      const ownText = options.isLocalRemote ? text : withoutRemote(text);
      reject((timedOut || hasOverflowed ? undefined : fileOutage(problem, ownText, failure)) ?? failure);
    };
    child.stdout.on("data", (chunk: Buffer) => {
      stdoutBytes += chunk.length;
      if (stdoutBytes <= maxOutputBytes) stdout.push(chunk);
      else if (!hasOverflowed) {
        hasOverflowed = true;
        end();
      }
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (stderrBytes < maxStderrBytes) stderr.push(chunk.subarray(0, maxStderrBytes - stderrBytes));
      stderrBytes += chunk.length;
    });
    // Git may end before it has read its input. The exit code tells why.
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input ?? "");
    child.once("error", (error) => settle(null, fileFailure(error) ? error : "git cannot be started"));
    child.once("close", (code) => settle(code, code === notFoundExitCode ? "git cannot be started" : undefined));
  });
}

/** Git's own words. A remote's texts tell nothing about this machine, and a hostile one may send any. */
function withoutRemote(stderr: string): string {
  const lines = stderr.split("\n");
  return lines.filter((line) => !/^remote:|remote error|remote unpack failed/.test(line)).join("\n");
}

function fileOutage(problem: Error | string | undefined, stderr: string, cause: GitError): FileOutage | undefined {
  const code = systemErrorCode(problem) ?? systemCodeIn(stderr);
  return code === undefined
    ? undefined
    : new FileOutage(code, `${cause.message} for lack of files (${code})`, { cause });
}

/**
 * Ends a detached process and its helpers: with SIGTERM, so that git removes its locks, and with SIGKILL two seconds
 * later.
 */
export function killGroup(child: { readonly pid?: number | undefined }): void {
  const { pid } = child;
  if (pid === undefined || !signalGroup(pid, "SIGTERM")) return;
  setTimeout(() => signalGroup(pid, "SIGKILL"), killAfterMs).unref();
}

function signalGroup(pid: number, signal: "SIGTERM" | "SIGKILL"): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    // The process has ended already.
    return false;
  }
}
