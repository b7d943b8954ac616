import { trimParts } from "../versions/four-parts.js";
import type { Framework } from "./framework.js";

// The last day of support, as published on dotnet.microsoft.com/platform/support/policy and in
// learn.microsoft.com/lifecycle/products. From .NET Framework 4.7 on it is supported as long as its Windows.
const dotnet: Readonly<Record<string, string>> = {
  "1.0": "2019-06-27",
  "1.1": "2019-06-27",
  "2.0": "2018-10-01",
  "2.1": "2021-08-21",
  "2.2": "2019-12-23",
  "3.0": "2020-03-03",
  "3.1": "2022-12-13",
  "5.0": "2022-05-10",
  "6.0": "2024-11-12",
  "7.0": "2024-05-14",
  "8.0": "2026-11-10",
  "9.0": "2026-11-10",
  "10.0": "2028-11-14",
};
const framework: Readonly<Record<string, string>> = {
  "1.0": "2009-07-14",
  "1.1": "2013-10-08",
  "2.0": "2011-07-12",
  "3.0": "2011-07-12",
  "3.5": "2029-01-09",
  "4.0": "2016-01-12",
  "4.5": "2016-01-12",
  "4.5.1": "2016-01-12",
  "4.5.2": "2022-04-26",
  "4.6": "2022-04-26",
  "4.6.1": "2022-04-26",
  "4.6.2": "2027-01-12",
};

/** The last day of support in UTC, `2026-11-10`; undefined where none is announced. */
export function lastDayOfSupport({ identifier, version }: Framework): string | undefined {
  const table = identifier === ".NETCoreApp" ? dotnet : identifier === ".NETFramework" ? framework : {};
  return table[trimParts(version, 2).join(".")];
}
