// Prism looks at the whole document by itself unless it is told not to, before it comes.
globalThis.Prism = { manual: true };
