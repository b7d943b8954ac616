// This script stands before the viewer's. Zod, which is part of the viewer, would try `new Function`, and the page's
// content security policy refuses and reports that.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

export {};
