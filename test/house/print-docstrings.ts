import { crossFolderExports } from "./docstrings.js";
import { root } from "./tracked-files.js";

const minShare = 0.85;

const under = process.argv[2] ?? "";
const folder = process.argv[3] ?? root;
const crossExports = (await crossFolderExports(folder)).filter(({ file }) => file.startsWith(under));
const missing = crossExports.filter(({ documented }) => !documented);
const share = crossExports.length === 0 ? 1 : 1 - missing.length / crossExports.length;
const verdict = `${crossExports.length - missing.length} of ${crossExports.length} exports that another folder uses have a docstring (${(share * 100).toFixed(1)} %)`;
if (share < minShare || under !== "")
  for (const { file, line, name, uses } of missing) console.log(`${file}:${line} ${name} (used ${uses} times)`);
console.log(verdict);
if (share < minShare) process.exitCode = 1;
