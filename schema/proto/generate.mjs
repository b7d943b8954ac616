// Writes schema/proto/generated from the .proto files beside this one: npm run proto
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const protoFolder = fileURLToPath(new URL(".", import.meta.url));
const root = join(protoFolder, "../..");
const output = join(protoFolder, "generated");
const plugin = join(root, "node_modules/.bin/protoc-gen-ts_proto");
const options = [
  "outputServices=nice-grpc",
  "outputServices=generic-definitions",
  "useExactTypes=false",
  "esModuleInterop=true",
  "importSuffix=.js",
  "outputJsonMethods=false",
  "annotateFilesWithVersion=false",
];

const protos = readdirSync(protoFolder, { recursive: true })
  .filter((file) => file.endsWith(".proto"))
  .sort((a, b) => (a < b ? -1 : 1));
const sources = protos.map((file) => join(protoFolder, file));

requireProtoc();
rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
protoc(`--plugin=protoc-gen-ts_proto=${plugin}`, `--ts_proto_out=${output}`, `--ts_proto_opt=${options.join(",")}`);
writeDescriptors();

function protoc(...args) {
  execFileSync("protoc", [...args, `--proto_path=${protoFolder}`, ...sources], { stdio: "inherit" });
}

/** Writes the descriptors for server reflection, and the digest by which a test notices that the code is older than the protocol. */
function writeDescriptors() {
  const folder = mkdtempSync(join(tmpdir(), "proto-"));
  try {
    const file = join(folder, "descriptors");
    protoc(`--descriptor_set_out=${file}`, "--include_imports");
    const digest = createHash("sha256");
    for (const source of sources) digest.update(readFileSync(source));
    const lines = [
      "// Written by npm run proto; do not edit.",
      `export const protocolDigest = "${digest.digest("hex")}";`,
      `export const descriptorSet = "${readFileSync(file).toString("base64")}";`,
    ];
    writeFileSync(join(output, "descriptors.ts"), `${lines.join("\n")}\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function requireProtoc() {
  try {
    execFileSync("protoc", ["--version"], { stdio: "ignore" });
  } catch {
    process.stderr.write("npm run proto needs protoc on the PATH (Debian: apt-get install protobuf-compiler).\n");
    process.exit(1);
  }
}
