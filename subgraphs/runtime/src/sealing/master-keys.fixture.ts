import { MasterKeys } from "./master-keys.js";

/** Master keys for tests, one for each number. The first one is the newest. */
export const someMasterKeys = (...numbers: readonly [number, ...number[]]): MasterKeys => {
  const [newest, ...former] = numbers;
  return new MasterKeys(Buffer.alloc(32, newest), ...former.map((number) => Buffer.alloc(32, number)));
};
