export { eventually } from "@factory/runtime/faults/eventually.fixture";
