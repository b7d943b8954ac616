import { MasterKeys } from "./master-keys.js";

/** The master keys that a test tells apart by numbers; the first one is the newest. */
export const someMasterKeys = (...numbers: readonly [number, ...number[]]): MasterKeys => {
  const [newest, ...former] = numbers;
  return new MasterKeys(Buffer.alloc(32, newest), ...former.map((number) => Buffer.alloc(32, number)));
};
