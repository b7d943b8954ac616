import { readFramework } from "./frameworks/framework.js";
import { isCompatible } from "./frameworks/framework-compatibility.js";
import { nearestFramework } from "./frameworks/nearest-framework.js";
import { lookUpPackages } from "./graph/listed-package.js";
import type { PackageVersionMetadata } from "./graph/package-metadata.js";
import { PackageSnapshot } from "./graph/package-snapshot.js";
import { releaseName } from "./graph/release.js";
import { resolveDependencies } from "./graph/resolve-dependencies.js";
import { parseVersion } from "./versions/version.js";
import { parseRange, satisfies } from "./versions/version-range.js";

const version = parseVersion("1.4.0");
const range = parseRange("[1.0,2.0)"); // undefined where the text is not a valid range
console.log(version && range && satisfies(range, version)); // => true

const project = readFramework("net8.0");
const assets = ["net472", "netstandard2.0", "net6.0"].map(readFramework);
console.log(assets.map((asset) => isCompatible(project, asset))); // => [ false, true, true ]
console.log(nearestFramework(project, assets)?.version); // => [ 6, 0, 0, 0 ]

const release = (text: string, needs: Record<string, string> = {}): PackageVersionMetadata => ({
  version: text,
  status: "Published",
  targetFrameworks: ["netstandard2.0"],
  dependencies: Object.entries(needs).map(([packageName, wanted]) => ({ packageName, range: wanted })),
});
const shop = { packageName: "Shop", versions: [release("1.0.0", { Orders: "1.0.0", Json: "13.0.1" })] };
const orders = { packageName: "Orders", versions: [release("1.0.0", { Json: "12.0.0" })] };
const json = { packageName: "Json", versions: ["12.0.0", "13.0.1", "13.0.3"].map((text) => release(text)) };
const packages = new Map([shop, orders, json].map((one) => [one.packageName.toLowerCase(), one]));

const snapshot = new PackageSnapshot(packages);
const listed = lookUpPackages([{ packageName: "Shop", version: "1.0.0" }], snapshot);
const graph = resolveDependencies(listed, snapshot.sourceFor(project));
const taken = [...graph.nodes.values()].flatMap((node) => node.release ?? []).map(releaseName);
console.log(taken); // => [ 'Shop 1.0.0', 'Json 13.0.1', 'Orders 1.0.0' ]
