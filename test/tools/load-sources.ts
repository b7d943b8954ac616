import { loadSources } from "../dist/runner/source-modules.js";

// the kit finds files by the address of its sources, as in the other suites
loadSources();
