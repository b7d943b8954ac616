import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { licensePage, packagesByLicense } from "./third-party-licenses.js";
import { root } from "./tracked-files.js";

const textOf = (name: string) => readFile(join(root, name), "utf8");

/** Licenses that let a product use a package. Elastic-2.0 does not let it offer the package as a service (README). */
const permittedLicense =
  /^(?:MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|Elastic-2\.0|Bitstream-Vera|PostgreSQL)$/;

describe("the list of third-party licenses", () => {
  it("is that of package-lock.json (npm run licenses writes it)", async () => {
    expect(await textOf("THIRD-PARTY-LICENSES.md")).toBe(licensePage(JSON.parse(await textOf("package-lock.json"))));
  });

  it("has only licenses under which a product may use a package", async () => {
    const licenses = packagesByLicense(JSON.parse(await textOf("package-lock.json")));
    const parts = (license: string) => license.replace(/[()]/g, "").split(" AND ");
    const usable = (license: string) =>
      license
        .replace(/[()]/g, "")
        .split(" OR ")
        .some((part) => permittedLicense.test(part));
    const refusedLicenses = [...licenses].filter(
      ([license]) => !usable(license) && !parts(license).every((part) => permittedLicense.test(part)),
    );
    expect(refusedLicenses).toEqual([]);
  });

  it("leaves out packages for development, and refuses one without a license", () => {
    const packages = {
      "": {},
      "node_modules/used": { version: "1.0.0", license: "MIT" },
      "node_modules/used/node_modules/inner": { version: "2.0.0", license: "ISC" },
      "node_modules/tool": { version: "1.0.0", license: "GPL-3.0", dev: true },
    };
    expect([...packagesByLicense({ packages })]).toEqual([
      ["MIT", ["used 1.0.0"]],
      ["ISC", ["inner 2.0.0"]],
    ]);
    const silent = { packages: { "node_modules/silent": { version: "1.0.0" } } };
    expect(() => packagesByLicense(silent)).toThrow("silent does not tell its license");
  });
});
