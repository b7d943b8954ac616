import { existsSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scratchFolder } from "./temporary-folder.js";

// A file, not `-c`: git drops command-line settings when it starts upload-pack or receive-pack for a local remote.
// safe.directory: a template's repository may belong to another user. Hooks are off, so that reading runs nothing.
const config = `[safe]
	directory = *
[core]
	hooksPath = /dev/null
[credential]
	helper =
[protocol]
	version = 2
[protocol "ext"]
	allow = never
[http]
	followRedirects = false
	receivepack = false
	getanyfile = false
[submodule]
	recurse = false
[fetch]
	recurseSubmodules = false
	unpackLimit = 1
[transfer]
	fsckObjects = true
[fetch "fsck"]
	zeroPaddedFilemode = ignore
	badTimezone = ignore
	missingSpaceBeforeDate = ignore
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
[fastimport]
	unpackLimit = 0
[gc]
	auto = 0
[maintenance]
	auto = false
[init]
	defaultBranch = main
`;

// Credentials come from one command's environment. They are never in argv or on disk.
const askpass = `#!/bin/sh
case "$1" in
  Username*) printf '%s\\n' "$GIT_REMOTE_USERNAME" ;;
  *) printf '%s\\n' "$GIT_REMOTE_PASSWORD" ;;
esac
`;

interface GitHome {
  readonly folder: string;
  readonly configFile: string;
  readonly askpassFile: string;
}

let home: Promise<GitHome> | undefined;

/**
 * The empty home folder for every git command. It is created again when a cleaner for temporary files has removed it.
 */
export async function gitHome(): Promise<GitHome> {
  home ??= newHome();
  const homeFolder = await home;
  // Without its file git would use its defaults: run hooks, follow redirects.
  if (existsSync(homeFolder.configFile)) return homeFolder;
  home = newHome();
  return home;
}

/** A home that could not be made, for example on a full disk, is made by the next command. */
function newHome(): Promise<GitHome> {
  const making = createHome();
  making.catch(() => {
    if (home === making) home = undefined;
  });
  return making;
}

async function createHome(): Promise<GitHome> {
  const folder = await scratchFolder();
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  // Git before 2.32 ignores GIT_CONFIG_GLOBAL and reads this file from HOME.
  const configFile = join(folder, ".gitconfig");
  const askpassFile = join(folder, "askpass");
  try {
    await writeFile(askpassFile, askpass, { mode: 0o700 });
    await writeFile(configFile, config, { mode: 0o600 });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return { folder, configFile, askpassFile };
}
